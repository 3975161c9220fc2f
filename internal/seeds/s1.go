package seeds

// s1 are the rows of the system S1.
var s1 = []Row{}

// s1Vectors are the tests of its vectors.
var s1Vectors = map[string]VectorTest{}

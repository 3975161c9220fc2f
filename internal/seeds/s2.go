package seeds

// s2 are the rows of the system S2.
var s2 = []Row{}

// s2Vectors are the tests of its vectors.
var s2Vectors = map[string]VectorTest{}

package seeds

// s4 are the rows of the system S4.
var s4 = []Row{}

// s4Vectors are the tests of its vectors.
var s4Vectors = map[string]VectorTest{}

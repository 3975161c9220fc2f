package seeds

// s1 are the rows of the system S1.
var s1 = []Row{}

package seeds

// s2 are the rows of the system S2.
var s2 = []Row{}

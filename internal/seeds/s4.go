package seeds

// s4 are the rows of the system S4.
var s4 = []Row{}

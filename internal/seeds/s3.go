package seeds

// s3 are the rows of the system S3.
var s3 = []Row{}

package words

// single says that the program has only one thread, so lazy tables need no synchronization. In WebAssembly, each check
// of a sync.Once costs two calls.
const single = true

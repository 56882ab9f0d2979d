package blob

// Space is what a file system has, in bytes.
type Space struct{ Free, Total int64 }

package blob

// Space is the space of a file system in bytes.
type Space struct{ Free, Total int64 }

package blob

import "errors"

// Temporary reports whether a storage error may be temporary: the network or the S3 server is down or
// busy, or the disk is full.
func Temporary(err error) bool {
	_, ok := errors.AsType[temporaryError](err)
	return ok
}

package blob

import "errors"

// Temporary reports whether an error is one of the storage that may pass by itself: the
// network or the S3 server is down or busy, or the disk is full.
func Temporary(err error) bool {
	_, ok := errors.AsType[temporaryError](err)
	return ok
}

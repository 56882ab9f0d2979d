//go:build !linux && !darwin && !freebsd

package blob

// FreeSpace returns how much space the file system of a folder has; ok is false where that
// cannot be known.
func FreeSpace(string) (s Space, ok bool, err error) { return s, false, nil }

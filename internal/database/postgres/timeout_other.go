//go:build !linux

package postgres

import "syscall"

// setUserTimeout does nothing on this system, which uses its own timeout for unacknowledged data.
func setUserTimeout(string, string, syscall.RawConn) error { return nil }

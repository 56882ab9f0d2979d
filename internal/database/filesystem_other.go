//go:build !linux

package database

// networkDiskOf returns "", because the numbers of other systems are unknown.
func networkDiskOf(string) (string, error) { return "", nil }

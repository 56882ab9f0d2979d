//go:build unix

package wasm

import "syscall"

// mapMemory returns bytes of the system's, of which it counts those that are
// written to.
func mapMemory(bytes int) ([]byte, error) {
	return syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func unmapMemory(b []byte) { _ = syscall.Munmap(b) } // it can only be given what was mapped

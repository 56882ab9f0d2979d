//go:build unix

package wasm

import "syscall"

// mapMemory maps memory of the system, which only counts the pages that are written.
func mapMemory(bytes int) ([]byte, error) {
	return syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func unmapMemory(b []byte) { _ = syscall.Munmap(b) } // it only fails for memory that was not mapped

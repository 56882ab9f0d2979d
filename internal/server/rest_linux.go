package server

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// forgetPages has the system forget which pages of the program are in use. What is used again is
// found in its cache of files.
func forgetPages() {
	file, maps := program()
	for _, r := range mappings(maps, file) {
		from, err := strconv.ParseUint(r[0], 16, 64)
		if err != nil {
			return
		}
		to, err := strconv.ParseUint(r[1], 16, 64)
		if err != nil {
			return
		}
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(from), uintptr(to-from), syscall.MADV_DONTNEED) // or they stay
	}
}

// mappings gives the ranges of addresses, in hexadecimal, at which a file is mapped and cannot be
// written, of the lines of /proc/self/maps (proc(5)).
func mappings(maps, file string) (ranges [][2]string) {
	for line := range strings.Lines(maps) {
		fields := strings.Fields(line) // address, permissions, offset, device, inode, path
		if len(fields) != 6 || fields[5] != file || strings.Contains(fields[1], "w") {
			continue
		}
		if from, to, ok := strings.Cut(fields[0], "-"); ok {
			ranges = append(ranges, [2]string{from, to})
		}
	}
	return ranges
}

// program gives the path of this program and what is mapped where, both empty where the system
// does not tell.
func program() (file, maps string) {
	file, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return "", ""
	}
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return "", ""
	}
	return file, string(text)
}

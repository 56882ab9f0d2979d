package server

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// dropPages unmaps the program's pages. The system loads those that are used again from its file
// cache.
func dropPages() {
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
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(from), uintptr(to-from), syscall.MADV_DONTNEED) // on error they stay
	}
}

// mappings returns the hexadecimal address ranges of a file's read-only mappings, parsed from
// /proc/self/maps (proc(5)).
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

// program returns the path of this program and the text of /proc/self/maps, or empty strings if
// they are not available.
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

package server

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"vitrine/internal/config"
)

// LimitMemory has Go's garbage collector keep the process within limit bytes, or
// with config.AutoMemory within what its control group or the machine has. The
// limit is soft: three quarters of that are Go's, since the codecs of images have
// memory of their own, and the system needs some. GOMEMLIMIT wins.
func LimitMemory(limit int64, log *slog.Logger) {
	if set := os.Getenv("GOMEMLIMIT"); set != "" {
		log.Info("memory limit", "soft", set, "from", "GOMEMLIMIT")
		return
	}
	from := "--memory-limit"
	if limit == config.AutoMemory {
		limit, from = availableMemory(os.DirFS("/"))
	}
	if limit <= 0 {
		return
	}
	soft := limit / 4 * 3
	debug.SetMemoryLimit(soft)
	log.Info("memory limit", "bytes", limit, "soft", soft, "from", from)
}

// availableMemory returns how much memory the process may take and who says so:
// the least of its control groups, otherwise the machine; 0 if nothing does.
func availableMemory(root fs.FS) (limit int64, from string) {
	machine := machineMemory(root)
	limit, from = machine, "the machine"
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // only Linux has it
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path, see cgroups(7); version 2 has no controllers
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		folder, file := "sys/fs/cgroup", "memory.max"
		if fields[1] == "memory" {
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if fields[1] != "" {
			continue
		}
		// A container may see its own group as the root, and its path as the host does.
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			text, err := fs.ReadFile(root, path.Join(folder, at, file))
			n, bad := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64) // or "max"
			if err == nil && bad == nil && n > 0 && (limit == 0 || n < limit) {
				limit, from = n, "the control group"
			}
			if at == "/" {
				break
			}
		}
	}
	if limit > 1<<60 { // version 1 says so where there is none
		return 0, ""
	}
	return limit, from
}

// machineMemory returns the memory of the machine in bytes, 0 if it is not known.
func machineMemory(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	var kib int64
	if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); err != nil {
		return 0
	}
	return kib << 10
}

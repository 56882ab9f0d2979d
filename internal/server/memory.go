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

// LimitMemory sets the soft memory limit of the garbage collector to three quarters of limit bytes,
// or with config.AutoMemory of the memory of the control group or machine. The rest is for the
// image codecs, which allocate their own memory, and for the system. GOMEMLIMIT takes precedence.
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

// availableMemory returns the memory that the process may use and its source: the smallest limit of
// its control groups, or else the machine; 0 if unknown.
func availableMemory(root fs.FS) (limit int64, from string) {
	machine := machineMemory(root)
	limit, from = machine, "the machine"
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // exists only on Linux
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
		// A container may see its own group as the root, although its path is that on the host.
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
	if limit > 1<<60 { // version 1 without a limit has a huge number
		return 0, ""
	}
	return limit, from
}

// machineMemory returns the memory of the machine in bytes, or 0 if unknown.
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

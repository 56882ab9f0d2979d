package server

import (
	"testing"
	"testing/fstest"
)

func TestAvailableMemory(t *testing.T) {
	t.Parallel()
	const machine = "proc/meminfo"
	for name, c := range map[string]struct {
		files map[string]string
		limit int64
		from  string
	}{
		"nothing is known": {nil, 0, "the machine"},
		"the machine":      {map[string]string{machine: "MemTotal:       1000 kB\nMemFree: 5 kB\n"}, 1000 << 10, "the machine"},
		"version 2": {map[string]string{machine: "MemTotal: 1000 kB\n", "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "4096\n"}, 4096, "the control group"},
		"version 2 in a container": {map[string]string{machine: "MemTotal: 1000 kB\n", "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "8192\n"}, 8192, "the control group"},
		"version 1": {map[string]string{machine: "MemTotal: 1000 kB\n", "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "16384\n"}, 16384, "the control group"},
		"version 1 without a limit": {map[string]string{machine: "MemTotal: 1000 kB\n", "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 1000 << 10, "the machine"},
		"a group larger than the machine": {map[string]string{machine: "MemTotal: 1 kB\n", "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "8192\n"}, 1024, "the machine"},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if limit, from := availableMemory(root); limit != c.limit || from != c.from {
			t.Errorf("%s: %d from %s, want %d from %s", name, limit, from, c.limit, c.from)
		}
	}
}

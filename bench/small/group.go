package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const groups = "/sys/fs/cgroup"

// group is a control group with limits on memory and processor time, of version 1 or 2 (cgroups(7)).
type group struct {
	memory, cpu string // folders; the same in version 2
	v2          bool
	pin         bool
}

func newGroup(memory int64, cores float64, pin bool) (*group, error) {
	name := fmt.Sprint("vitrine-small-", os.Getpid())
	g := &group{memory: filepath.Join(groups, "memory", name), cpu: filepath.Join(groups, "cpu", name), pin: pin}
	if controllers, err := os.ReadFile(filepath.Join(groups, "cgroup.subtree_control")); err == nil {
		if !bytes.Contains(controllers, []byte("memory")) || !bytes.Contains(controllers, []byte("cpu")) {
			return nil, errors.New("the controllers cpu and memory are off: write +cpu +memory to " + groups + "/cgroup.subtree_control")
		}
		g.v2, g.memory = true, filepath.Join(groups, name)
		g.cpu = g.memory
	}
	for _, folder := range []string{g.memory, g.cpu} {
		if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("a control group is needed, as root on Linux: %w", errors.Join(err, g.remove()))
		}
	}
	quota := int(cores * 100_000)
	settings := map[string]string{g.memory + "/memory.limit_in_bytes": fmt.Sprint(memory),
		g.cpu + "/cpu.cfs_period_us": "100000", g.cpu + "/cpu.cfs_quota_us": fmt.Sprint(quota)}
	if g.v2 {
		settings = map[string]string{g.memory + "/memory.max": fmt.Sprint(memory), g.memory + "/memory.swap.max": "0",
			g.cpu + "/cpu.max": fmt.Sprint(quota, " 100000")}
	}
	for file, value := range settings {
		err := os.WriteFile(file, []byte(value), 0o644)
		if err != nil && (filepath.Base(file) != "memory.swap.max" || !errors.Is(err, fs.ErrNotExist)) { // a system may have no swap
			return nil, errors.Join(err, g.remove())
		}
	}
	return g, nil
}

// remove removes the group, when its processes have ended.
func (g *group) remove() error {
	var errs []error
	for _, folder := range []string{g.memory, g.cpu} {
		if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// command returns a command that runs in the group.
func (g *group) command(ctx context.Context, bin string, args ...string) *exec.Cmd {
	join := fmt.Sprintf(`echo $$ >'%s/cgroup.procs' && echo $$ >'%s/cgroup.procs' && exec "$0" "$@"`, g.memory, g.cpu)
	all := append([]string{"-c", join, bin}, args...)
	if g.pin {
		all = append([]string{"-c", join, "taskset", "-c", "0", bin}, args...)
	}
	return exec.CommandContext(ctx, "/bin/sh", all...)
}

// peaks are the largest amounts of memory during a measurement, in bytes.
type peaks struct {
	group     int64 // with the cache of files, which the system drops if memory is needed
	resident  int64 // of the processes, with their mapped files
	anonymous int64 // that cannot be dropped
}

// resetPeaks starts a new measurement of the group's peak.
func (g *group) resetPeaks() error {
	if g.v2 {
		return nil // watch takes samples: memory.peak can be reset since Linux 6.12 only
	}
	return os.WriteFile(g.memory+"/memory.max_usage_in_bytes", []byte("0"), 0o644)
}

// watch takes samples until the returned function is called, which returns the largest.
func (g *group) watch() func() peaks {
	stop, done := make(chan struct{}), make(chan peaks)
	go func() {
		var p peaks
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			p = g.sample(p)
			select {
			case <-ticker.C:
			case <-stop:
				done <- g.sample(p)
				return
			}
		}
	}()
	return func() peaks { close(stop); return <-done }
}

func (g *group) sample(p peaks) peaks {
	if g.v2 {
		p.group = max(p.group, number(g.memory+"/memory.current"))
	} else {
		p.group = max(p.group, number(g.memory+"/memory.max_usage_in_bytes"))
	}
	var resident, anonymous int64
	text, _ := os.ReadFile(g.memory + "/cgroup.procs") // without it the sums are 0, which shows
	for pid := range strings.FieldsSeq(string(text)) {
		status := "/proc/" + pid + "/status"
		resident += field(status, "VmRSS:") << 10
		anonymous += field(status, "RssAnon:") << 10
	}
	p.resident, p.anonymous = max(p.resident, resident), max(p.anonymous, anonymous)
	return p
}

// kills returns how many processes of the group the system has killed because memory was out.
func (g *group) kills() (int64, error) {
	file := g.memory + "/memory.oom_control"
	if g.v2 {
		file = g.memory + "/memory.events"
	}
	if _, err := os.Stat(file); err != nil {
		return 0, err
	}
	return field(file, "oom_kill"), nil
}

// number reads a file with a number, or returns 0.
func number(file string) int64 {
	text, _ := os.ReadFile(file)
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n
}

// field returns the number after a name in a file with one name per line, or 0.
func field(file, name string) int64 {
	text, _ := os.ReadFile(file) // the process may have ended
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n
		}
	}
	return 0
}

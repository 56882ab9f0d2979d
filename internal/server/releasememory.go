package server

import "runtime/debug"

// memoryReleaser returns memory to the system after an interval without any work: once after the
// start, and once after each busy period. Otherwise Go would keep what the last minutes needed, and
// the system would count the program's pages that only its start used.
type memoryReleaser struct{ work, released int64 }

// tick is called at each interval with the number of requests and jobs so far.
func (r *memoryReleaser) tick(work int64, release func()) {
	quiet := work == r.work
	r.work = work
	if !quiet {
		r.released = -1
	} else if r.released != work {
		r.released = work
		release()
	}
}

// newMemoryReleaser creates a memoryReleaser that counts the start as work.
func newMemoryReleaser() *memoryReleaser { return &memoryReleaser{released: -1} }

// releaseMemory returns unused heap and the program's own pages to the system.
func releaseMemory() {
	debug.FreeOSMemory()
	if ownPages() {
		dropPages()
	}
}

// ownPages reports whether the read-only mappings of the program equal its file, so that the system
// can read them again from there. That is true for a static, non-relocated executable.
func ownPages() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	return set["-buildmode"] == "exe" && set["CGO_ENABLED"] == "0"
}

package server

import "runtime/debug"

// rest gives memory back once there has been nothing to do for an interval: after the start,
// and after each time of work. Without it, Go keeps what the last minutes needed, and the
// system shows the pages of the program that only its start touched.
type rest struct{ works, rested int64 }

// seen is told at each interval how many requests and jobs there have been.
func (r *rest) seen(works int64, give func()) {
	quiet := works == r.works
	r.works = works
	if !quiet {
		r.rested = -1
	} else if r.rested != works {
		r.rested = works
		give()
	}
}

// newRest has the start count as work.
func newRest() *rest { return &rest{rested: -1} }

// giveBack returns what the heap does not use, and the program's own pages.
func giveBack() {
	debug.FreeOSMemory()
	if ownPages() {
		forgetPages()
	}
}

// ownPages reports whether what is mapped of the program without being writable is as its file
// has it, so that it may be read from there again: in a static program that nothing has
// relocated.
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

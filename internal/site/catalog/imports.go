package catalog

import (
	"strings"

	"vitrine/internal/domain"
)

// English returns the texts in English, for programs and the command line.
func English() *Language { return All().Languages[0] }

// maxReasons is how many skipped items a summary names.
const maxReasons = 5

// ImportSummary describes the result of an import.
type ImportSummary struct {
	DryRun  bool
	Counts  domain.ImportCounts
	File    domain.ImportFile // for imports from a file
	Skipped []domain.LeftOut  // the first skipped items
}

// Imported describes the result of an import in sentences. The website, the command line and the
// API show the same text.
func (l *Language) Imported(s ImportSummary) string {
	all := []string{l.took(s)}
	for _, more := range []struct {
		n  int64
		id string
	}{{s.Counts.Unchanged, "transfer.sum.there"}, {s.Counts.Changed, "transfer.sum.changed"}, {s.Counts.Moved, "transfer.sum.moved"}} {
		if more.n > 0 {
			all = append(all, l.Text(more.id, more.n))
		}
	}
	if s.Counts.LeftOut > 0 {
		all = append(all, l.skipped(s))
	}
	return strings.Join(all, " ")
}

// Read describes in which format and encoding a file was read; "" if there is nothing to report.
func (l *Language) Read(f domain.ImportFile) string {
	switch {
	case f.Format == "":
		return ""
	case f.Encoding == "" || f.Encoding == "utf-8" && f.Asked == "":
		return l.Text("transfer.sum.format", f.Format)
	}
	return l.Text("transfer.sum.encoding", f.Format, f.Encoding)
}

// took describes what was created.
func (l *Language) took(s ImportSummary) string {
	c := s.Counts
	var what []string
	add := func(n int64, id string) {
		if n > 0 {
			what = append(what, l.Text(id, n))
		}
	}
	known := s.File.Links + s.File.Texts + s.File.Embeds + s.File.Files
	add(s.File.Links, "transfer.sum.links")
	add(s.File.Texts, "transfer.sum.texts")
	add(s.File.Embeds, "transfer.sum.embeds")
	add(s.File.Files, "transfer.sum.files")
	add(c.Blocks-min(known, c.Blocks), "transfer.sum.blocks")
	add(c.Comments, "transfer.sum.comments")
	if len(what) == 0 && c.Connections > c.Channels { // existing blocks, connected to another channel
		add(c.Connections-c.Channels, "transfer.sum.connections")
	}
	channels := ""
	if c.Channels > 0 {
		channels = l.Text("transfer.sum.channels", c.Channels)
	}
	switch {
	case len(what) == 0 && c.Channels == 0 && c.Unchanged+c.Changed+c.Moved > 0:
		return l.Text("transfer.sum.nothing-new")
	case len(what) == 0 && c.Channels == 0:
		return l.Text("transfer.sum.nothing")
	case len(what) == 0:
		what, channels = []string{l.Text("transfer.sum.only-channels", c.Channels)}, ""
	}
	switch {
	case s.DryRun && channels != "":
		return l.Text("transfer.sum.took-into-dry", l.list(what), channels)
	case s.DryRun:
		return l.Text("transfer.sum.took-dry", l.list(what))
	case channels != "":
		return l.Text("transfer.sum.took-into", l.list(what), channels)
	}
	return l.Text("transfer.sum.took", l.list(what))
}

// list joins texts with commas and a conjunction.
func (l *Language) list(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return l.Text("transfer.sum.and", strings.Join(all[:last], ", "), all[last])
}

// skipped describes how many items were skipped, and why the first ones were.
func (l *Language) skipped(s ImportSummary) string {
	var why []string
	for _, one := range s.Skipped[:min(len(s.Skipped), maxReasons)] {
		where := one.Where
		if where == "" {
			where = one.What
		}
		why = append(why, l.Text("transfer.sum.reason", l.Fault(where), strings.TrimSuffix(l.Fault(one.Why), ".")))
	}
	text := strings.Join(why, "; ")
	if more := s.Counts.LeftOut - int64(len(why)); more > 0 && len(why) > 0 {
		text += l.Text("transfer.sum.more", more)
	}
	if text == "" {
		return l.Text("transfer.sum.skipped-all", s.Counts.LeftOut)
	}
	return l.Text("transfer.sum.skipped", s.Counts.LeftOut, text)
}

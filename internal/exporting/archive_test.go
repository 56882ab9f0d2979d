package exporting

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var testTime = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

// A set of consecutive IDs needs one bit per ID, even if the IDs are large.
func TestIDs(t *testing.T) {
	t.Parallel()
	s := ids{}
	for _, id := range []int64{1, 63, 64, idPage - 1, idPage, 1 << 40, 0} {
		if s.has(id) || !s.add(id) || s.add(id) || !s.has(id) {
			t.Errorf("%d is not remembered once", id)
		}
	}
	if s.has(2) || s.has(1<<40+1) || len(s) != 3 {
		t.Errorf("%d pages, or ids that were not added", len(s))
	}
}

// Texts become valid names on all file systems, and cells that spreadsheets do not execute.
func TestNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"../../etc/passwd": "etc-passwd-7.md", "CON": "CON-7.md", "🦀": "7.md", "": "7.md", "\x00": "7.md", "a\x00b": "a-b-7.md",
		"日本語": "日本語-7.md", "e\u0301": "é-7.md", " . ": "7.md", "-rf": "rf-7.md"} {
		if got := named(text, 7, ".md"); got != want {
			t.Errorf("%q is called %q, not %q", text, got, want)
		}
	}
	if long := named(strings.Repeat("ü", 300), 7, ".md"); len(long) > maxName+len("-7.md") || !utf8.ValidString(long) {
		t.Errorf("a long title makes %q", long)
	}
	for cell, want := range map[string]string{"=1": "'=1", "'=1": "''=1", "it's": "it's", "'": "'", "": "", "\t=1": "'\t=1", "＝1": "'＝1", "-": "'-", "a=1": "a=1"} {
		if got := harmless(cell); got != want {
			t.Errorf("%q becomes %q, not %q", cell, got, want)
		}
	}
	for extension, want := range map[string]string{"PNG": ".png", ".jpg": ".jpg", "../x": "", "tar.gz": "", "": "", "x/y": ""} {
		if got := safeExtension(extension); got != want {
			t.Errorf("%q becomes %q, not %q", extension, got, want)
		}
	}
}

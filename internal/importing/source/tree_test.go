package source_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
	"vitrine/internal/importing/sourcetest"
)

// TestMemoryOfNames checks that a tree does not keep long titles. It is not parallel because it
// measures the heap.
func TestMemoryOfNames(t *testing.T) {
	const n = 64
	tree := source.Tree{To: &sourcetest.Count{}, Title: "Mine"}
	root, err := tree.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	for i := range n {
		long := strings.Repeat("x", 1<<20) + fmt.Sprint(i)
		for _, title := range []string{long, long[1<<20-10:]} { // the second one is part of the first
			folder, err := tree.Named(t.Context(), root, source.Channel{Title: title})
			if err != nil {
				t.Fatal(err)
			}
			if again, err := tree.Named(t.Context(), root, source.Channel{Title: title}); again != folder || err != nil {
				t.Fatalf("the second folder of the same name is %p and not %p (%v)", again, folder, err)
			}
		}
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("the heap grew by %d KB", grown>>10)
	}
	runtime.KeepAlive(&tree)
}

func heap() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "é", strings.Repeat("🙂", domain.MaxTitle+1)} {
		if got := source.CutTitle(text); got != text {
			t.Errorf("%q was cut to %q", text, got)
		}
	}
	for limit, got := range map[int]string{
		domain.MaxTitle:       source.CutTitle("x" + strings.Repeat("é", 1<<20)),
		domain.MaxDescription: source.CutDescription("x" + strings.Repeat("é", 1<<20)),
	} {
		if !utf8.ValidString(got) || len(got) != 4*(limit+1)-1 {
			t.Errorf("%d bytes, valid: %t", len(got), utf8.ValidString(got))
		}
	}
}

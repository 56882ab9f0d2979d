package blob_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		var none []string
		listed := func(folder string) (names []string) {
			t.Helper()
			err := r.List(t.Context(), folder, func(name string, size int64) error {
				names = append(names, fmt.Sprint(name, " ", size))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(names)
			return names
		}
		if got := listed(""); !slices.Equal(got, none) {
			t.Errorf("at first there is %q", got)
		}
		if err := r.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"a/b", "a/c/d", "ab/c", "e"} {
			if err := r.Put(t.Context(), name, strings.NewReader("xxxx"[:i]), int64(i), "text/plain"); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := listed(""), []string{"a/b 0", "a/c/d 1", "ab/c 2", "e 3"}; !slices.Equal(got, want) {
			t.Errorf("listed %q, want %q", got, want)
		}
		if got, want := listed("a/"), []string{"a/b 0", "a/c/d 1"}; !slices.Equal(got, want) {
			t.Errorf("listed %q, want %q", got, want)
		}
		if got := listed("nothing/"); !slices.Equal(got, none) {
			t.Errorf("below nothing there is %q", got)
		}
		stop, n := errors.New("stop"), 0
		err := r.List(t.Context(), "", func(string, int64) error { n++; return stop })
		if !errors.Is(err, stop) || n != 1 {
			t.Errorf("stopped after %d with %v", n, err)
		}
	})
}

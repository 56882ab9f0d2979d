package server

import (
	"slices"
	"testing"
)

// Memory is released once after the start and once after each busy period.
func TestRest(t *testing.T) {
	t.Parallel()
	r, given := newMemoryReleaser(), 0
	var got []int
	for _, work := range []int64{0, 0, 5, 9, 9, 9, 10, 10} {
		r.tick(work, func() { given++ })
		got = append(got, given)
	}
	if want := []int{1, 1, 1, 1, 2, 2, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("given back %v times, want %v", got, want)
	}
}

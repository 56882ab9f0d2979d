package jobs_test

import (
	"testing"

	"vitrine/internal/jobs"
)

// Counts are limited per state and class, so many jobs of one class do not hide those of another.
func TestStatesAreBounded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		for range 5 {
			r.enqueue(note{"waits"})
		}
		r.enqueue(letter{"waits"})
		for limit, want := range map[int]int64{3: 3, 100: 5} {
			all, err := r.queue.SomeStates(t.Context(), limit)
			r.must(err)
			for _, c := range all {
				want := map[jobs.Class]int64{jobs.Content: want, jobs.Mail: 1}[c.Class]
				if c.Waiting != want || c.OldestDue.IsZero() != (want == 0) {
					t.Errorf("of %d: %+v", limit, c)
				}
			}
		}
	})
}

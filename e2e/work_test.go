package e2e

import "testing"

// A server without workers and a separate worker process on one database work like a server that
// does both.
func TestWorkBeside(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, r *reader) {
		const all = 20
		r.must(r.post(all / 2))
		if _, pending := r.contents(); pending != all/2 {
			t.Errorf("%d of %d wait while nobody works", pending, all/2)
		}
		workers := r.p.work()
		r.must(r.post(all))
		r.settle()
		r.terminate(workers)
		r.verify(all)
	}, "VITRINE_WORK=false", "VITRINE_JOB_CONCURRENCY=1")
}

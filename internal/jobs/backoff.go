package jobs

import (
	"math/rand/v2"
	"time"

	"github.com/riverqueue/river/rivertype"
)

const (
	firstWait   = 4 * time.Second
	longestWait = 6 * time.Hour
)

// Backoff returns the wait after a failed attempt, starting with attempt 1: about 4 seconds, doubled each
// time up to 6 hours. It varies by a quarter, so that jobs that failed together do not retry together.
func Backoff(attempt int) time.Duration {
	wait := longestWait
	if n := max(attempt, 1) - 1; n < 16 {
		wait = min(firstWait<<n, longestWait)
	}
	return Around(wait)
}

// Around returns a wait of up to a quarter more or less than the given one, so that jobs that failed
// together do not run again together.
func Around(wait time.Duration) time.Duration { return wait - wait/4 + rand.N(wait/2) }

// retryPolicy adapts a backoff function to River.
type retryPolicy struct {
	backoff func(attempt int) time.Duration
	now     func() time.Time
}

// NextRetry implements river.ClientRetryPolicy.
func (p retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return p.now().UTC().Add(p.backoff(len(job.Errors) + 1))
}

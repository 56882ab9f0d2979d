package server

import (
	"context"
	"time"
)

// background is work that the server repeats until it shuts down.
type background struct {
	stop context.CancelFunc
	done chan struct{}
}

// start calls work at once and then at intervals, in a goroutine, until end is called or work returns false.
func (b *background) start(every time.Duration, work func(ctx context.Context) (again bool)) {
	ctx, cancel := context.WithCancel(context.Background())
	b.stop, b.done = cancel, make(chan struct{})
	go func() {
		defer close(b.done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for ctx.Err() == nil && work(ctx) {
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
}

// end interrupts the work and waits until it has returned.
func (b *background) end() {
	if b.stop != nil {
		b.stop()
		<-b.done
	}
}

// whileFit calls work unless a newer program has replaced this one, and logs its error.
func (s *Server) whileFit(ctx context.Context, failure string, work func(ctx context.Context) error) {
	if s.db.Fit(ctx) != nil {
		return
	}
	if err := work(ctx); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, failure, "error", err)
	}
}

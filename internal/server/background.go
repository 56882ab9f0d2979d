package server

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// watchInterval is how often a server checks for the read-only mode and for changes of the site's settings.
const watchInterval = time.Second

// watchSite checks for the mode and the site's settings, and logs when the mode changes.
func (s *Server) watchSite(ctx context.Context) bool {
	checking, cancel := context.WithTimeout(ctx, watchInterval)
	defer cancel()
	was := s.Store.ReadOnly()
	if err := s.App.Operating.WatchSite(checking); err != nil {
		return true // the database is away, which everything else reports; the last known mode stays
	}
	switch now := s.Store.ReadOnly(); {
	case was == nil && now != nil:
		s.log.InfoContext(ctx, "the site is read-only: changes are refused, and jobs pause", "reason", now.Reason)
	case was != nil && now == nil:
		s.log.InfoContext(ctx, "the site is writable again")
	}
	return true
}

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

// whileFit calls work unless a newer program has replaced this one or the site is read-only, and logs its error.
func (s *Server) whileFit(ctx context.Context, failure string, work func(ctx context.Context) error) {
	if s.db.Fit(ctx) != nil || s.Store.ReadOnly() != nil {
		return
	}
	if err := work(ctx); err != nil && ctx.Err() == nil && !domain.IsReadOnly(err) {
		s.log.WarnContext(ctx, failure, "error", err)
	}
}

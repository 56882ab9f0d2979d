package server

import (
	"context"
	"time"

	"vitrine/internal/database"
)

const (
	// clockInterval is how often a server measures the clock of the database.
	clockInterval = 10 * time.Second
	// clockTimeout limits a measurement.
	clockTimeout = 2 * time.Second
	// clockDiffers is the difference that is worth a warning.
	clockDiffers = 5 * time.Second
)

// SiteClock returns the clock that a command shares with the servers on the database.
func SiteClock(ctx context.Context, db *database.DB) func() time.Time {
	clock := db.NewClock(time.Now)
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	_ = clock.Adjust(ctx) // what follows reports that the database is unavailable
	return clock.Now
}

// adjustClock measures the clock of the database, and warns once about a large difference.
func (s *Server) adjustClock(ctx context.Context) {
	if s.clock == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	before := s.clock.Ahead()
	if err := s.clock.Adjust(ctx); err != nil {
		return // /readyz reports it
	}
	if now := s.clock.Ahead(); now.Abs() > clockDiffers && (now-before).Abs() > clockDiffers {
		s.log.WarnContext(ctx, "the clock of this machine differs from that of the database, which is used instead: synchronize the clocks", "ahead", -now.Round(time.Millisecond))
	}
}

package server

import (
	"context"
	"log/slog"

	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/obs"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// replicasOf are the replicas of a configuration. One that a migration has not reached yet, or
// that is of a version that does not serve this program, is not read.
func replicasOf(cfg config.Config, log *slog.Logger) database.Replicas {
	return database.Replicas{URLs: cfg.Replicas.URLs, MaxLag: cfg.Replicas.MaxLag, Has: account.HasWrites, Log: log,
		Check: func(ctx context.Context, db *database.DB) error {
			return db.CheckSchema(ctx, store.Migrations(database.Postgres))
		}}
}

// watchReplicas measures the replicas, if there are any.
func (s *Server) watchReplicas() {
	set := s.db.Replicas()
	if set == nil {
		return
	}
	s.stats.WatchReplicas(func() (all []obs.Replica, skipped obs.SkippedReplicas) {
		stats, passed := set.Stats()
		for _, r := range stats {
			all = append(all, obs.Replica(r))
		}
		return all, obs.SkippedReplicas(passed)
	})
}

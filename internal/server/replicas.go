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

// replicasOf returns the configured replicas. A replica is not used while its schema does not
// support this program, for example because a migration has not reached it yet.
func replicasOf(cfg config.Config, log *slog.Logger) database.Replicas {
	return database.Replicas{URLs: cfg.Replicas.URLs, MaxLag: cfg.Replicas.MaxLag, Has: account.HasWrites, Log: log,
		Check: func(ctx context.Context, db *database.DB) error {
			return db.CheckSchema(ctx, store.Migrations(database.Postgres))
		}}
}

// watchReplicas adds metrics of the replicas, if there are any.
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

package server

import (
	"context"
	"time"

	"vitrine/internal/middleware"
	"vitrine/internal/obs"
	"vitrine/internal/redis"
)

// limitsPrefix is the prefix of the keys in Redis, which may be shared with other programs.
const limitsPrefix = "vitrine:limit:"

// shareLimits makes rate limits apply to all servers together if Redis is configured: the API's
// through s.limiter, those of forms and fetches through s.shared.
func (s *Server) shareLimits() (err error) {
	if s.cfg.RedisURL == "" {
		return nil
	}
	if s.redis, err = redis.New(redis.Options{URL: s.cfg.RedisURL, Prefix: limitsPrefix, Log: s.log, Observe: s.observeLimits}); err != nil {
		return err
	}
	s.shared = func(ctx context.Context, key string, limit int, window time.Duration) (middleware.Counted, bool) {
		c, ok := s.redis.Take(ctx, key, limit, window)
		return middleware.Counted(c), ok
	}
	s.limiter.Share(s.shared)
	s.stats.WatchLimits(func() obs.Limits { return obs.Limits(s.redis.Stats()) })
	return nil
}

// observeLimits measures how long Redis took to count a request.
func (s *Server) observeLimits(ctx context.Context, took time.Duration, err error) {
	outcome := "taken"
	if err != nil {
		outcome = "failed"
	}
	s.stats.ObserveOutgoing(ctx, obs.Asked{To: obs.Redis, Operation: "count", Outcome: outcome, Took: took})
}

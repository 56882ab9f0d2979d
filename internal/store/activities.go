package store

import (
	"context"
	"math"
	"slices"

	"vitrine/internal/domain"
)

// Record writes an activity and hands it to the feeds of the followers and to the
// notifications of the given users (behaviour.md section 7): each once, never the actor.
// It comes last in its transaction: it locks rows of feed_sources and then of inboxes.
func (tx *Tx) Record(ctx context.Context, a domain.Activity, notify ...domain.UserID) (domain.ActivityID, error) {
	ids, err := tx.RecordAll(ctx, domain.News{Activity: a, Notify: notify})
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// RecordAll is Record for everything that one transaction did: it is called once, so
// that all locks are taken in their order.
func (tx *Tx) RecordAll(ctx context.Context, all ...domain.News) ([]domain.ActivityID, error) {
	if len(all) == 0 {
		return nil, nil
	}
	var sources []domain.Subject
	var notified []domain.UserID
	for i, n := range all {
		sources = append(sources, n.Sources()...)
		all[i].Notify = recipients(n)
		notified = append(notified, all[i].Notify...)
	}
	at, err := tx.lockedSources(ctx, sources, tx.d.share("s"))
	if err != nil {
		return nil, err
	}
	if err := tx.lockInboxes(ctx, notified); err != nil {
		return nil, err
	}
	if announce := tx.d.announce(); announce != "" {
		if err := tx.exec(ctx, announce); err != nil {
			return nil, err
		}
	}
	ids := make([]domain.ActivityID, len(all))
	for i, n := range all {
		if ids[i], err = tx.insertActivity(ctx, n.Activity); err != nil {
			return nil, err
		}
		n.ID = ids[i]
		if err := tx.copyToFeeds(ctx, n.Activity, at); err != nil {
			return nil, err
		}
		if err := tx.notify(ctx, n); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// recipients are the notified, each once, without the actor.
func recipients(n domain.News) []domain.UserID {
	to := slices.DeleteFunc(slices.Clone(n.Notify), func(u domain.UserID) bool { return u == n.Actor || u == 0 })
	slices.Sort(to)
	return slices.Compact(to)
}

func (tx *Tx) insertActivity(ctx context.Context, a domain.Activity) (id domain.ActivityID, err error) {
	var targetType *domain.SubjectType
	var targetID *int64
	if a.Target.Type != "" {
		targetType, targetID = &a.Target.Type, &a.Target.ID
	}
	err = tx.q.QueryRow(ctx, `INSERT INTO activities (kind, actor_id, item_type, item_id, target_type, target_id,
			channel_id, group_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		a.Kind, a.Actor, a.Item.Type, a.Item.ID, targetType, targetID, orNull(a.Channel), orNull(a.Group),
		micros(a.CreatedAt)).Scan(&id)
	return id, err
}

// copyToFeeds writes the activity to the feed of each follower of its locked sources.
func (tx *Tx) copyToFeeds(ctx context.Context, a domain.Activity, at map[domain.Subject]feedSource) error {
	for _, s := range a.Sources() {
		if at[s].pulled || at[s].followers == 0 {
			continue
		}
		err := tx.exec(ctx, `INSERT INTO feed_entries (user_id, activity_id, follow_id)
			SELECT f.follower_id, CAST($3 AS BIGINT), f.id FROM follows f
			WHERE f.followed_type = $1 AND f.followed_id = $2 AND f.follower_id <> $4`, s.Type, s.ID, a.ID, a.Actor)
		if err != nil {
			return err
		}
	}
	return nil
}

// StableUpTo gives an id up to which the list of activities will not change any more but
// by deletion. PostgreSQL gives out ids before the transactions end, in whatever order:
// what is above waits for those still in progress, so that somebody who polls for newer
// activities, or leafs to older ones, misses none.
func (s *Store) StableUpTo(ctx context.Context) (domain.ActivityID, error) {
	if !s.d.locks() {
		return math.MaxInt64 - 1, nil
	}
	lastID, locks := s.d.announced()
	// First what was given out, then who is in progress: whoever began in between will
	// get a later id.
	last, err := scanInt64(s.q.QueryRow(ctx, lastID))
	if err != nil {
		return 0, err
	}
	rows, err := s.q.Query(ctx, locks)
	low, err := collect(ctx, rows, err, scanInt64)
	stable := last
	for _, l := range low {
		const wrap = int64(1) << 31
		if behind := ((last-l)%wrap + wrap) % wrap; behind < wrap/2 {
			stable = min(stable, last-behind)
		}
	}
	return domain.ActivityID(stable), err
}

// orNull binds an id, 0 as NULL.
func orNull[T ~int64](id T) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

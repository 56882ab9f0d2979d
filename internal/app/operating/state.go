package operating

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
)

// ServerState is the state of a server, for its operators.
type ServerState struct {
	Jobs  []jobs.ClassState // of all servers on the database
	Mail  MailState
	Disks []content.Disk // of this server

	Backfills []Backfill

	LastBackup *blobs.Backup // that succeeded; nil for none in half a year
	BadBackup  *blobs.Backup // the last failed or interrupted one, if it is newer
}

// MailState is the state of sending mail.
type MailState struct {
	LastSent  time.Time // in the last day; zero for none
	LastError string    // of the unsent mail that failed last; "" for none
	FailedAt  time.Time // when that was, or when it is retried
}

// ServerState returns the state of the server for an operator. It takes at most eight statements, and one more for each
// backfill with more than 10,000 rows left.
func (a *Operating) ServerState(ctx context.Context, actor domain.Actor) (s ServerState, err error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return s, err
	}
	if s.Jobs, err = a.Store.Queue().States(ctx); err != nil {
		return s, err
	}
	for _, c := range s.Jobs {
		if c.Class == jobs.Mail {
			s.Mail.LastSent = c.LastDone
		}
	}
	failed, err := a.Store.LastError(ctx, jobs.Mail)
	if err != nil && !errors.Is(err, jobs.ErrNoJob) {
		return s, err
	}
	s.Mail.LastError, s.Mail.FailedAt = failed.Error, failed.At
	if s.LastBackup, err = a.Store.Backups().LastBackup(ctx, a.Now()); err != nil {
		return s, err
	}
	if s.BadBackup, err = a.Store.Backups().LastFailure(ctx, a.Now()); err != nil {
		return s, err
	}
	if s.BadBackup != nil && s.LastBackup != nil && s.LastBackup.StartedAt.After(s.BadBackup.StartedAt) {
		s.BadBackup = nil
	}
	if s.Backfills, err = a.Backfills(ctx); err != nil {
		return s, err
	}
	s.Disks, err = a.content.Disks()
	return s, err
}

// totalsFor is how long a server caches the totals.
const totalsFor = time.Minute

// knownTotals contains totals and the time of their computation.
type knownTotals struct {
	domain.Totals
	at time.Time
}

// totalsCache caches the totals.
type totalsCache = atomic.Pointer[knownTotals]

// Totals returns the site's totals for an operator, and the time of their computation, at most a minute ago. It takes two
// statements. The second reads every account and channel, but only once a minute.
func (a *Operating) Totals(ctx context.Context, actor domain.Actor) (t domain.Totals, at time.Time, err error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return t, at, err
	}
	now := a.Now()
	if known := a.totals.Load(); known != nil && now.Sub(known.at) < totalsFor {
		return known.Totals, known.at, nil
	}
	if t, err = a.Store.Counters().Totals(ctx); err != nil {
		return t, at, err
	}
	a.totals.Store(&knownTotals{t, now})
	return t, now, nil
}

// StoredBy is a user with their stored bytes and quota.
type StoredBy struct {
	domain.User
	Usage  domain.ByteUsage
	Quota  domain.Quota
	Blocks int64 // created, only in UsageOfAll
}

// UsageOfAll lists accounts by id, after the given one, with their stored bytes. It takes three statements, and one more
// for an account on the website.
func (a *Operating) UsageOfAll(ctx context.Context, by Operator, after domain.UserID, limit int) (all []StoredBy, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		users, err := v.Users().Users(ctx, after, limit)
		if err != nil {
			return err
		}
		ids := make([]domain.UserID, len(users))
		for i, u := range users {
			ids[i] = u.ID
		}
		usages, err := v.Counters().ByteUsages(ctx, ids, a.Now())
		if err != nil {
			return err
		}
		blocks, err := v.Counters().BlocksMade(ctx, ids)
		all = make([]StoredBy, len(users))
		for i, u := range users {
			all[i] = StoredBy{User: u, Usage: usages[u.ID], Quota: a.content.Quota(u.Tier), Blocks: blocks[u.ID]}
		}
		return err
	})
	return all, err
}

// StorageByUser lists users with stored bytes for an operator, those with most first. It takes five statements.
func (a *Operating) StorageByUser(ctx context.Context, actor domain.Actor, page domain.Page) (l domain.List[StoredBy], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := core.Operate(ctx, v.Queries, actor); err != nil {
			return err
		}
		ids, err := v.Counters().LargestByteUsage(ctx, page)
		if err != nil || len(ids.Items) == 0 {
			l.Total = ids.Total
			return err
		}
		users, err := v.Users().UsersByID(ctx, ids.Items)
		if err != nil {
			return err
		}
		usages, err := v.Counters().ByteUsages(ctx, ids.Items, a.Now())
		if err != nil {
			return err
		}
		l.Total, l.Items = ids.Total, nil
		for _, id := range ids.Items {
			if u, ok := users[id]; ok {
				l.Items = append(l.Items, StoredBy{User: u, Usage: usages[id], Quota: a.content.Quota(u.Tier)})
			}
		}
		return nil
	})
	return l, err
}

package store

import (
	"context"
	"math"

	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store/access"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// The blocks in a channel count it as an open or a private channel, and for the group that owns
// it. When its visibility or owner changes, or it is deleted, all of them must be updated. If they
// are few, the transaction that changes the channel does so. If they are many, it records in
// pending_transitions which connections still count as before, and a job updates them in batches.
// Reads that depend on the counts include pending changes (package access).
//
// Runs of connections are identified by created_at, which is unique in a channel and only grows:
// what is connected after the change is later than everything recorded.

// TransitionLimits are how many connections one transaction may update together with its channels,
// since deleting an account may delete many, and how many one batch of the job updates.
type TransitionLimits struct{ AtOnce, Batch int64 }

// DefaultTransitionLimits block the writer of SQLite for tens of milliseconds (bench/README.md).
var DefaultTransitionLimits = TransitionLimits{AtOnce: 500, Batch: 500}

// LimitTransitions sets other limits. It must be called before the store is used.
func (s *Store) LimitTransitions(l TransitionLimits) { s.transitions = l }

// effect is a channel's contribution to the counts of each block in it, and the group for which it
// counts.
type effect struct {
	open, private int64
	group         domain.GroupID // 0 if the owner is not a group
}

// effectOf returns the effect of a live channel.
func effectOf(c domain.Channel) (e effect) {
	e.open, e.private = search.Placed(c.Visibility, 1)
	if c.Owner.Type == domain.TypeGroup {
		e.group = domain.GroupID(c.Owner.ID)
	}
	return e
}

// owner returns the group as an owner.
func (e effect) owner() domain.PrincipalRef { return domain.GroupRef(e.group) }

// run is a row of pending_transitions: connections created after one time and up to another, with
// the effect that they still have.
type run struct {
	access.Run
	effect
}

// allConnections is the run of all connections of a channel.
var allConnections = access.Run{After: math.MinInt64, Upto: math.MaxInt64}

// pendingRuns lists the runs of a channel in order.
func (r TransitionReads) pendingRuns(ctx context.Context, id domain.ChannelID, lock string) ([]run, error) {
	rows, err := r.q.db.Query(ctx, `SELECT p.after_at, p.upto, p.open_n, p.private_n, p.group_id FROM pending_transitions p
		WHERE p.channel_id = $1 ORDER BY p.upto`+lock, id)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (r run, err error) {
		err = row.Scan(&r.After, &r.Upto, &r.open, &r.private, &r.group)
		return r, err
	})
}

// transition applies a change of a locked channel's effect to its contents, or leaves that to a
// job. The groups of both effects must be locked.
func (w TransitionWrites) transition(ctx context.Context, c domain.Channel, from, to effect) error {
	if from == to {
		return nil
	}
	pending, err := w.pendingRuns(ctx, c.ID, "")
	if err != nil {
		return err
	}
	if len(pending) == 0 && w.tx.carried+c.Contents() <= w.tx.transitions.AtOnce {
		w.tx.carried += c.Contents()
		return w.carry(ctx, c.ID, allConnections, from, to)
	}
	last, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `SELECT last_connected_at FROM channels WHERE id = $1`, c.ID))
	if err != nil {
		return err
	}
	// Connections without a pending run still have the effect `from`; those in a pending run may
	// already have `to`.
	for _, gap := range gaps(pending, last) {
		err := w.tx.db.Exec(ctx, `INSERT INTO pending_transitions (channel_id, after_at, upto, open_n, private_n, group_id)
			VALUES ($1, $2, $3, $4, $5, $6)`, c.ID, gap.After, gap.Upto, from.open, from.private, from.group)
		if err != nil {
			return err
		}
	}
	err = w.tx.db.Exec(ctx, `DELETE FROM pending_transitions WHERE channel_id = $1 AND open_n = $2 AND private_n = $3 AND group_id = $4`,
		c.ID, to.open, to.private, to.group)
	if err != nil {
		return err
	}
	return w.tx.Enqueue(ctx, ApplyTransition{c.ID, c.UserID}, jobs.For(int64(c.UserID)))
}

// gaps returns the runs between the given ones, up to the last connection.
func gaps(runs []run, last int64) (between []run) {
	after := int64(math.MinInt64)
	for _, r := range append(runs, run{Run: access.Run{After: last, Upto: last}}) {
		if r.After > after {
			between = append(between, run{Run: access.Run{After: after, Upto: r.After}})
		}
		after = r.Upto
	}
	return between
}

// carry changes the effect of the connections of a run in a locked channel.
func (w TransitionWrites) carry(ctx context.Context, id domain.ChannelID, r access.Run, from, to effect) error {
	open, private := to.open-from.open, to.private-from.private
	if err := w.bumpBlocks(ctx, id, r, open, private); err != nil {
		return err
	}
	if from.group == to.group {
		return w.tx.documents().PutAllInGroup(ctx, to.group, id, r, open, private)
	}
	if err := w.tx.documents().PutAllInGroup(ctx, from.group, id, r, -from.open, -from.private); err != nil {
		return err
	}
	return w.tx.documents().PutAllInGroup(ctx, to.group, id, r, to.open, to.private)
}

// bumpBlocks adds to the counts of open and private channels of every block of a run in a channel,
// and to those of the documents of all its items. It locks the blocks in the order of their ids,
// so that two channels with the same blocks cannot deadlock.
func (w TransitionWrites) bumpBlocks(ctx context.Context, id domain.ChannelID, r access.Run, open, private int64) error {
	if open == 0 && private == 0 {
		return w.lockBlocksIn(ctx, id, r)
	}
	err := w.tx.db.Exec(ctx, `UPDATE blocks SET open_count = open_count + $4, private_count = private_count + $5,
			version = version + CASE WHEN $4 <> 0 OR open_count = 0 THEN 1 ELSE 0 END
		WHERE id IN (SELECT b.id FROM blocks b WHERE b.id IN (
			SELECT c.item_id FROM connections c WHERE `+access.OfRun+` AND c.item_type = 'Block') ORDER BY b.id`+w.tx.db.ForUpdate("b")+`)`,
		id, r.After, r.Upto, open, private)
	if err != nil {
		return err
	}
	return w.tx.documents().RelinkAll(ctx, id, r, open)
}

// lockBlocksIn locks the blocks of a run in a channel, in the order of their ids.
func (w TransitionWrites) lockBlocksIn(ctx context.Context, id domain.ChannelID, r access.Run) error {
	if !w.tx.db.LocksRows() {
		return nil
	}
	_, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `SELECT count(*) FROM (SELECT b.id FROM blocks b WHERE b.id IN (
		SELECT c.item_id FROM connections c WHERE `+access.OfRun+` AND c.item_type = 'Block') ORDER BY b.id`+w.tx.db.ForUpdate("b")+`) AS locked`,
		id, r.After, r.Upto))
	return err
}

// ApplyTransition is the job that applies pending changes to the contents of a channel. It takes a
// turn of the channel's creator, so that one person's many channels do not delay those of others.
type ApplyTransition struct {
	ID domain.ChannelID `json:"id"`
	By domain.UserID    `json:"by"`
}

// Kind returns the name of the job.
func (ApplyTransition) Kind() string { return "apply_transition" }

// ApplySome applies the channel's current effect to the next batch of waiting connections and
// reports whether more are waiting. Repeated calls apply each change once, because each call
// continues where the previous one stopped.
func (w TransitionWrites) ApplySome(ctx context.Context, id domain.ChannelID) (more bool, err error) {
	if err := w.tx.Channels().LockChannels(ctx, id); err != nil {
		return false, err
	}
	pending, err := w.pendingRuns(ctx, id, "")
	if err != nil || len(pending) == 0 {
		return false, err
	}
	is, err := w.effect(ctx, id, math.MaxInt64)
	if err != nil {
		return false, err
	}
	if err := w.tx.Principals().LockOwners(ctx, pending[0].owner(), is.owner()); err != nil {
		return false, err
	}
	// Read them again, because a group that was deleted in the meantime is no longer theirs.
	if pending, err = w.pendingRuns(ctx, id, w.tx.db.ForUpdate("p")); err != nil || len(pending) == 0 {
		return false, err
	}
	first := pending[0]
	batch := access.Run{After: first.After}
	if batch.Upto, err = w.batchEnd(ctx, id, first.Run); err != nil {
		return false, err
	}
	if err := w.carry(ctx, id, batch, first.effect, is); err != nil {
		return false, err
	}
	if batch.Upto < first.Upto {
		err = w.tx.db.ExecOne(ctx, `UPDATE pending_transitions SET after_at = $3 WHERE channel_id = $1 AND upto = $2`, id, first.Upto, batch.Upto)
	} else {
		err = w.tx.db.ExecOne(ctx, `DELETE FROM pending_transitions WHERE channel_id = $1 AND upto = $2`, id, first.Upto)
	}
	return len(pending) > 1 || batch.Upto < first.Upto, err
}

// batchEnd returns the end of the first batch of a run. The index separates connections of private
// items, so a batch may contain twice as many.
func (w TransitionWrites) batchEnd(ctx context.Context, id domain.ChannelID, r access.Run) (int64, error) {
	const nth = `(SELECT c.created_at FROM connections c WHERE c.channel_id = $1 AND c.item_private = `
	const later = ` AND c.created_at > $2 AND c.created_at <= $3 ORDER BY c.created_at LIMIT 1 OFFSET $4)`
	return sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `SELECT min(at) FROM (SELECT CAST($3 AS BIGINT) AS at
		UNION ALL SELECT `+nth+`FALSE`+later+` UNION ALL SELECT `+nth+`TRUE`+later+`) AS ends`,
		id, r.After, r.Upto, w.tx.transitions.Batch-1))
}

// effect returns the effect of a connection that was created at a time in a locked channel, live
// or not.
func (w TransitionWrites) effect(ctx context.Context, id domain.ChannelID, at int64) (e effect, err error) {
	err = w.tx.db.QueryRow(ctx, `SELECT `+access.OpenApplied+`, `+access.PrivateApplied+`, `+access.GroupApplied+` FROM channels ch
		LEFT JOIN pending_transitions pt ON pt.channel_id = ch.id AND pt.after_at < $2 AND pt.upto >= $2 WHERE ch.id = $1`,
		id, at).Scan(&e.open, &e.private, &e.group)
	return e, err
}

// appliedTo returns the columns of effect for a statement that changes the channel, as subqueries.
func appliedTo(channel, at string) string {
	from := ` FROM channels ch LEFT JOIN pending_transitions pt ON pt.channel_id = ch.id AND pt.after_at < ` + at + ` AND pt.upto >= ` + at +
		` WHERE ch.id = ` + channel + `)`
	return `(SELECT ` + access.OpenApplied + from + `, (SELECT ` + access.PrivateApplied + from + `, (SELECT ` + access.GroupApplied + from
}

// HasPending reports whether connections of a channel still count as before a change of it.
func (r TransitionReads) HasPending(ctx context.Context, id domain.ChannelID) (some bool, err error) {
	err = r.q.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pending_transitions WHERE channel_id = $1)`, id).Scan(&some)
	return some, err
}

// Pending lists some channels above an id that wait for the job.
func (r TransitionReads) Pending(ctx context.Context, above domain.ChannelID, limit int) ([]domain.ChannelID, error) {
	rows, err := r.q.db.Query(ctx, `SELECT DISTINCT p.channel_id FROM pending_transitions p
		WHERE p.channel_id > $1 ORDER BY p.channel_id`+sqlx.Limit("$2"), above, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ChannelID])
}

// transitionChecks find what a job would apply to the wrong group, twice, or never. A foreign key
// ensures that each row has its channel.
var transitionChecks = []sqlx.Check{
	{What: "pending_transitions of a group that is gone", Query: `SELECT p.channel_id, p.group_id, 0 FROM pending_transitions p
		WHERE p.group_id <> 0 AND NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = p.group_id)`},
	{What: "pending_transitions that overlap", Query: `SELECT p.channel_id, p.after_at, r.upto FROM pending_transitions p
		JOIN pending_transitions r ON r.channel_id = p.channel_id AND r.upto < p.upto AND r.upto > p.after_at`},
	{What: "pending_transitions that end before they begin", Query: `SELECT p.channel_id, p.upto, p.after_at FROM pending_transitions p
		WHERE p.upto <= p.after_at`},
	{What: "pending_transitions beyond the last connection", Query: `SELECT p.channel_id, p.upto, ch.last_connected_at FROM pending_transitions p
		JOIN channels ch ON ch.id = p.channel_id WHERE p.upto > ch.last_connected_at`},
}

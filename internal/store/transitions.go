package store

import (
	"context"
	"math"

	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store/access"
	"vitrine/internal/store/documents"
	"vitrine/internal/store/sqlx"
)

// A channel counts at the blocks in it: as an open or a private channel, and for the group
// that owns it. When its visibility or owner changes, or it ends, all of them have to be
// counted anew. A few are in the transaction that changes the channel. For many, that
// transaction notes in pending_transitions which connections still count as before, and
// a job carries the change to them in batches; reads that depend on the counts take what
// is pending into account (access.go).
//
// Connections are told apart by created_at, which is unique in a channel and only grows:
// what is connected after the change is later than all that is noted.

// TransitionLimits are how many connections one transaction changes at once with their
// channels, of which the end of an account may have many, and how many one batch of the job.
type TransitionLimits struct{ AtOnce, Batch int64 }

// DefaultTransitionLimits keep the writer of SQLite for tens of milliseconds (bench/README.md).
var DefaultTransitionLimits = TransitionLimits{AtOnce: 500, Batch: 500}

// LimitTransitions sets other limits. It comes before the store is used.
func (s *Store) LimitTransitions(l TransitionLimits) { s.transitions = l }

// effect is what a channel adds to the counts of a block in it, and of which group.
type effect struct {
	open, private int64
	group         domain.GroupID // 0 for none
}

// effectOf is the effect of a live channel.
func effectOf(c domain.Channel) (e effect) {
	e.open, e.private = documents.Placed(c.Visibility, 1)
	if c.Owner.Type == domain.TypeGroup {
		e.group = domain.GroupID(c.Owner.ID)
	}
	return e
}

// owner is the group as an owner.
func (e effect) owner() domain.PrincipalRef { return domain.GroupRef(e.group) }

// run is a row of pending_transitions: connections made after one time and up to
// another, with the effect that they still have.
type run struct {
	access.Run
	effect
}

// allConnections is the run of everything in a channel.
var allConnections = access.Run{After: math.MinInt64, Upto: math.MaxInt64}

// pendingRuns lists the runs of a channel in their order.
func (q Queries) pendingRuns(ctx context.Context, id domain.ChannelID, lock string) ([]run, error) {
	rows, err := q.db.Query(ctx, `SELECT p.after_at, p.upto, p.open_n, p.private_n, p.group_id FROM pending_transitions p
		WHERE p.channel_id = $1 ORDER BY p.upto`+lock, id)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (r run, err error) {
		err = row.Scan(&r.After, &r.Upto, &r.open, &r.private, &r.group)
		return r, err
	})
}

// transition carries a change of a locked channel's effect to what is in it, or leaves
// that to a job. Groups of both effects are locked.
func (tx *Tx) transition(ctx context.Context, c domain.Channel, from, to effect) error {
	if from == to {
		return nil
	}
	pending, err := tx.pendingRuns(ctx, c.ID, "")
	if err != nil {
		return err
	}
	if len(pending) == 0 && tx.carried+c.Contents() <= tx.transitions.AtOnce {
		tx.carried += c.Contents()
		return tx.carry(ctx, c.ID, allConnections, from, to)
	}
	last, err := sqlx.ScanInt64(tx.db.QueryRow(ctx, `SELECT last_connected_at FROM channels WHERE id = $1`, c.ID))
	if err != nil {
		return err
	}
	// What is not pending has the effect that ends now; what is may have the new one.
	for _, gap := range gaps(pending, last) {
		err := tx.db.Exec(ctx, `INSERT INTO pending_transitions (channel_id, after_at, upto, open_n, private_n, group_id)
			VALUES ($1, $2, $3, $4, $5, $6)`, c.ID, gap.After, gap.Upto, from.open, from.private, from.group)
		if err != nil {
			return err
		}
	}
	err = tx.db.Exec(ctx, `DELETE FROM pending_transitions WHERE channel_id = $1 AND open_n = $2 AND private_n = $3 AND group_id = $4`,
		c.ID, to.open, to.private, to.group)
	if err != nil {
		return err
	}
	return tx.Enqueue(ctx, ApplyTransition{c.ID, c.UserID}, jobs.For(int64(c.UserID)))
}

// gaps are the runs up to the last connection that lie between those that are given.
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

// carry gives the connections of a run in a locked channel another effect.
func (tx *Tx) carry(ctx context.Context, id domain.ChannelID, r access.Run, from, to effect) error {
	open, private := to.open-from.open, to.private-from.private
	if err := tx.bumpBlocks(ctx, id, r, open, private); err != nil {
		return err
	}
	if from.group == to.group {
		return tx.documents.PutAllInGroup(ctx, to.group, id, r, open, private)
	}
	if err := tx.documents.PutAllInGroup(ctx, from.group, id, r, -from.open, -from.private); err != nil {
		return err
	}
	return tx.documents.PutAllInGroup(ctx, to.group, id, r, to.open, to.private)
}

// bumpBlocks adds to the counts of open and private channels of every block of a run in a
// channel, and to those of the documents of all that is in it. The blocks are locked in the
// order of their ids, so that two channels with the same blocks do not wait for each other.
func (tx *Tx) bumpBlocks(ctx context.Context, id domain.ChannelID, r access.Run, open, private int64) error {
	if open == 0 && private == 0 {
		return tx.lockBlocksIn(ctx, id, r)
	}
	err := tx.db.Exec(ctx, `UPDATE blocks SET open_count = open_count + $4, private_count = private_count + $5,
			version = version + CASE WHEN $4 <> 0 OR open_count = 0 THEN 1 ELSE 0 END
		WHERE id IN (SELECT b.id FROM blocks b WHERE b.id IN (
			SELECT c.item_id FROM connections c WHERE `+access.OfRun+` AND c.item_type = 'Block') ORDER BY b.id`+tx.db.ForUpdate("b")+`)`,
		id, r.After, r.Upto, open, private)
	if err != nil {
		return err
	}
	return tx.documents.RelinkAll(ctx, id, r, open)
}

// lockBlocksIn locks the blocks of a run in a channel, in the order of their ids.
func (tx *Tx) lockBlocksIn(ctx context.Context, id domain.ChannelID, r access.Run) error {
	if !tx.db.LocksRows() {
		return nil
	}
	_, err := sqlx.ScanInt64(tx.db.QueryRow(ctx, `SELECT count(*) FROM (SELECT b.id FROM blocks b WHERE b.id IN (
		SELECT c.item_id FROM connections c WHERE `+access.OfRun+` AND c.item_type = 'Block') ORDER BY b.id`+tx.db.ForUpdate("b")+`) AS locked`,
		id, r.After, r.Upto))
	return err
}

// ApplyTransition is the job that carries what is pending to the contents of a channel. It
// is the turn of who made the channel, so that nobody's many channels hold up others'.
type ApplyTransition struct {
	ID domain.ChannelID `json:"id"`
	By domain.UserID    `json:"by"`
}

// Kind names the job.
func (ApplyTransition) Kind() string { return "apply_transition" }

// ApplySome gives the next batch of connections that wait the effect which their channel
// has by now, and reports whether more are waiting. It takes effect once, however often it
// is called: each time goes on where the last has come to.
func (tx *Tx) ApplySome(ctx context.Context, id domain.ChannelID) (more bool, err error) {
	if err := tx.LockChannels(ctx, id); err != nil {
		return false, err
	}
	pending, err := tx.pendingRuns(ctx, id, "")
	if err != nil || len(pending) == 0 {
		return false, err
	}
	is, err := tx.effect(ctx, id, math.MaxInt64)
	if err != nil {
		return false, err
	}
	if err := tx.LockOwners(ctx, pending[0].owner(), is.owner()); err != nil {
		return false, err
	}
	// Read again, for a group that ended meanwhile is none of theirs any more.
	if pending, err = tx.pendingRuns(ctx, id, tx.db.ForUpdate("p")); err != nil || len(pending) == 0 {
		return false, err
	}
	first := pending[0]
	batch := access.Run{After: first.After}
	if batch.Upto, err = tx.batchEnd(ctx, id, first.Run); err != nil {
		return false, err
	}
	if err := tx.carry(ctx, id, batch, first.effect, is); err != nil {
		return false, err
	}
	if batch.Upto < first.Upto {
		err = tx.db.ExecOne(ctx, `UPDATE pending_transitions SET after_at = $3 WHERE channel_id = $1 AND upto = $2`, id, first.Upto, batch.Upto)
	} else {
		err = tx.db.ExecOne(ctx, `DELETE FROM pending_transitions WHERE channel_id = $1 AND upto = $2`, id, first.Upto)
	}
	return len(pending) > 1 || batch.Upto < first.Upto, err
}

// batchEnd finds where the first batch of a run ends. Connections of private items are
// apart in the index, so that a batch may have twice as many.
func (tx *Tx) batchEnd(ctx context.Context, id domain.ChannelID, r access.Run) (int64, error) {
	const nth = `(SELECT c.created_at FROM connections c WHERE c.channel_id = $1 AND c.item_private = `
	const later = ` AND c.created_at > $2 AND c.created_at <= $3 ORDER BY c.created_at LIMIT 1 OFFSET $4)`
	return sqlx.ScanInt64(tx.db.QueryRow(ctx, `SELECT min(at) FROM (SELECT CAST($3 AS BIGINT) AS at
		UNION ALL SELECT `+nth+`FALSE`+later+` UNION ALL SELECT `+nth+`TRUE`+later+`) AS ends`,
		id, r.After, r.Upto, tx.transitions.Batch-1))
}

// effect gives the effect that a connection has which was made at a time in a locked
// channel, live or not.
func (tx *Tx) effect(ctx context.Context, id domain.ChannelID, at int64) (e effect, err error) {
	err = tx.db.QueryRow(ctx, `SELECT `+access.OpenApplied+`, `+access.PrivateApplied+`, `+access.GroupApplied+` FROM channels ch
		LEFT JOIN pending_transitions pt ON pt.channel_id = ch.id AND pt.after_at < $2 AND pt.upto >= $2 WHERE ch.id = $1`,
		id, at).Scan(&e.open, &e.private, &e.group)
	return e, err
}

// HasPending reports whether connections of a channel still count as before a change of it.
func (q Queries) HasPending(ctx context.Context, id domain.ChannelID) (some bool, err error) {
	err = q.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pending_transitions WHERE channel_id = $1)`, id).Scan(&some)
	return some, err
}

// Pending lists the channels that wait for the job, some at a time.
func (q Queries) Pending(ctx context.Context, above domain.ChannelID, most int) ([]domain.ChannelID, error) {
	rows, err := q.db.Query(ctx, `SELECT DISTINCT p.channel_id FROM pending_transitions p
		WHERE p.channel_id > $1 ORDER BY p.channel_id`+sqlx.Limit("$2"), above, most)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ChannelID])
}

// transitionChecks find what a job would carry to the wrong group, twice, or never. Each row
// has its channel by a foreign key.
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

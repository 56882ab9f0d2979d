// Package vectors stores the vectors of blocks, and the queue and state of the job that computes them.
//
// Triggers on search_documents queue blocks and delete vectors that became wrong, in the transaction that changes a text
// or who sees it. The job writes under a lock of the state's row, so numbers of changes are committed in their order, and
// a process that has read up to a number misses nothing.
package vectors

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes contains the statements of a transaction.
type Writes struct{ Reads }

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{NewReads(db)} }

// Model is what vectors are computed with. A block that not everyone sees has a vector only with Private.
type Model struct {
	Name    string
	Private bool
}

// State is the state of the job.
type State struct {
	Active bool
	Model
	Dimension   int64 // 0 before the first answer
	Other       int64 // a different dimension of the last answer, or 0
	walked      int64
	walkAt      int64
	LastChange  int64
	Purged      int64
	leasedUntil int64
	Failures    int64 // in a row
	RetryAt     time.Time
	Error       string // code of the last failure, or "" after a success
	FailedAt    time.Time
}

const stateColumns = "active, model, private, dimension, other, walked, walk_at, last_change, purged, leased_until, failures, retry_at, error, failed_at"

func (r Reads) state(ctx context.Context, lock string) (s State, err error) {
	var retry, failed int64
	err = r.db.QueryRow(ctx, "SELECT "+stateColumns+" FROM vector_state WHERE id = 1"+lock).Scan(&s.Active, &s.Name, &s.Private, &s.Dimension, &s.Other,
		&s.walked, &s.walkAt, &s.LastChange, &s.Purged, &s.leasedUntil, &s.Failures, &retry, &s.Error, &failed)
	s.RetryAt, s.FailedAt = sqlx.Time(retry), sqlx.Time(failed)
	return s, err
}

// State returns the state of the job.
func (r Reads) State(ctx context.Context) (State, error) { return r.state(ctx, "") }

// Idle reports whether there is nothing to do, or not before a pause is over, so that the job need not write anything.
func (r Reads) Idle(ctx context.Context, m Model, now time.Time) (bool, error) {
	s, err := r.State(ctx)
	if err != nil || !s.Active || s.Model != m || s.walked != done || s.walkAt <= sqlx.Micros(now) {
		return false, err
	}
	if s.RetryAt.After(now) {
		return true, nil
	}
	var some bool
	err = r.db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM block_vectors WHERE queued > 0)").Scan(&some)
	return !some, err
}

// Begin locks the state.
func (w Writes) Begin(ctx context.Context) (State, error) {
	return w.state(ctx, w.db.ForUpdate("vector_state"))
}

// Stop keeps new blocks from being queued.
func (w Writes) Stop(ctx context.Context) error {
	return w.db.Exec(ctx, "UPDATE vector_state SET active = FALSE WHERE active = TRUE")
}

// Lease reserves the job for a process until a time, and reports whether no other process has it. If the model is not that
// of the state, it begins to compare all documents.
func (w Writes) Lease(ctx context.Context, m Model, now, until time.Time) (s State, ok bool, err error) {
	if s, err = w.Begin(ctx); err != nil || s.leasedUntil > sqlx.Micros(now) {
		return s, false, err
	}
	if !s.Active || s.Model != m {
		if s.Name != m.Name {
			s.Dimension, s.Other = 0, 0
		}
		s.Active, s.Model, s.walked, s.Failures, s.RetryAt, s.Error = true, m, 0, 0, time.UnixMicro(0), ""
		err = w.db.Exec(ctx, `UPDATE vector_state SET active = TRUE, model = $1, private = $2, dimension = $3, other = 0, walked = 0, walk_change = last_change,
			failures = 0, retry_at = 0, error = '' WHERE id = 1`, m.Name, m.Private, s.Dimension)
		if err != nil {
			return s, false, err
		}
	}
	return s, true, w.Extend(ctx, until)
}

// Extend sets the end of the lease, which is over if it has passed.
func (w Writes) Extend(ctx context.Context, until time.Time) error {
	return w.db.Exec(ctx, "UPDATE vector_state SET leased_until = $1 WHERE id = 1", sqlx.Micros(until))
}

// done is walked when all documents have been compared.
const done = math.MaxInt64

// Walk compares the next n documents with the vectors, queues those that need another vector, and reports whether there
// may be more. A walk begins again at intervals: transactions that began before the job was active have queued nothing.
func (w Writes) Walk(ctx context.Context, n int, now time.Time, interval time.Duration) (more bool, err error) {
	s, err := w.Begin(ctx)
	if err != nil || s.walked == done && s.walkAt > sqlx.Micros(now) {
		return false, err
	}
	if s.walked == done {
		s.walked = 0
		if err := w.purge(ctx); err != nil {
			return false, err
		}
	}
	var last, read int64
	err = w.db.QueryRow(ctx, "SELECT COALESCE(max(seq), 0), count(*) FROM (SELECT seq FROM search_documents WHERE seq > $1 ORDER BY seq"+sqlx.Limit("$2")+") AS next",
		s.walked, n).Scan(&last, &read)
	if err != nil {
		return false, err
	}
	if read > 0 {
		if err := w.queue(ctx, s, last); err != nil {
			return false, err
		}
	}
	if read < int64(n) {
		return false, w.db.Exec(ctx, "UPDATE vector_state SET walked = $1, walk_at = $2 WHERE id = 1", int64(done), sqlx.Micros(now.Add(interval)))
	}
	return true, w.db.Exec(ctx, "UPDATE vector_state SET walked = $1 WHERE id = 1", last)
}

// queue queues the blocks among the documents up to a number that need another vector.
func (w Writes) queue(ctx context.Context, s State, last int64) error {
	err := w.db.Exec(ctx, `INSERT INTO block_vectors (block_id, queued) SELECT d.item_id, 1 FROM search_documents d
		WHERE d.seq > $1 AND d.seq <= $2 AND d.kind = 'Block' ON CONFLICT (block_id) DO NOTHING`, s.walked, last)
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, `UPDATE block_vectors SET queued = 1, vector = NULL WHERE queued = 0
		AND block_id IN (SELECT d.item_id FROM search_documents d WHERE d.seq > $1 AND d.seq <= $2 AND d.kind = 'Block')
		AND (model <> $3 OR state = 'done' AND (dimension <> $4 OR open = FALSE AND CAST($5 AS BOOLEAN) = FALSE) OR state = 'private' AND CAST($5 AS BOOLEAN) = TRUE)`,
		s.walked, last, s.Name, s.Dimension, s.Private)
}

// purge deletes the rows of blocks that were gone when the previous walk began.
func (w Writes) purge(ctx context.Context) error {
	err := w.db.Exec(ctx, `DELETE FROM block_vectors WHERE state = 'gone' AND queued = 0 AND change <= (SELECT walk_change FROM vector_state)`)
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, "UPDATE vector_state SET purged = walk_change, walk_change = last_change WHERE id = 1")
}

// Waiting is a queued block.
type Waiting struct {
	Block  domain.BlockID
	Queued int64
	State  string // Private, Empty or Gone if no vector is to be computed, or ""
	Open   bool
	Text   string
}

// The states of blocks.
const (
	Done    = "done"
	Private = "private"
	Empty   = "empty"
	Refused = "refused"
	Gone    = "gone"
)

// Waiting lists n queued blocks, the newest first.
func (r Reads) Waiting(ctx context.Context, private bool, n int) ([]Waiting, error) {
	rows, err := r.db.Query(ctx, "SELECT block_id, queued FROM block_vectors WHERE queued > 0 ORDER BY block_id DESC"+sqlx.Limit("$1"), n)
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (w Waiting, err error) {
		err = row.Scan(&w.Block, &w.Queued)
		return w, err
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	ids := make([]domain.BlockID, len(all))
	for i, w := range all {
		ids[i] = w.Block
	}
	rows, err = r.db.Query(ctx, "SELECT b.id FROM blocks b WHERE "+r.db.In("b.id", "$1")+" AND "+access.OpenCount+" > 0", sqlx.IDs(r.db.Dialect, ids))
	seen, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.BlockID])
	if err != nil {
		return nil, err
	}
	open := sqlx.ByID(seen, func(id domain.BlockID) domain.BlockID { return id })
	texts, err := search.TextsOf(ctx, r.db, ids)
	for i := range all {
		w := &all[i]
		text, exists := texts[w.Block]
		_, w.Open = open[w.Block]
		switch w.Text = text; {
		case !exists:
			w.State = Gone
		case !w.Open && !private:
			w.State, w.Text = Private, ""
		case strings.TrimSpace(text) == "":
			w.State = Empty
		}
	}
	return all, err
}

// Result is what to store for a queued block.
type Result struct {
	Waiting
	Vector []int8 // nil unless the state is Done
}

// errModel ends the job of a process with other settings.
var errModel = errors.New("vectors: another process has begun to use another model: all processes need the same --embeddings-model")

// Put stores results, except for blocks that were queued again in the meantime.
func (w Writes) Put(ctx context.Context, model string, all []Result) error {
	s, err := w.Begin(ctx)
	if err == nil && s.Name != model {
		err = errModel
	}
	if err != nil {
		return err
	}
	for _, r := range all {
		s.LastChange++
		var vector []byte
		if r.State == Done {
			vector = bytesOf(r.Vector)
		}
		err := w.db.Exec(ctx, `UPDATE block_vectors SET queued = 0, state = $3, open = $4, change = $5, model = $6, dimension = $7, vector = $8
			WHERE block_id = $1 AND queued = $2`, r.Block, r.Queued, r.State, r.Open, s.LastChange, model, len(r.Vector), vector)
		if err != nil {
			return err
		}
	}
	return w.db.Exec(ctx, "UPDATE vector_state SET last_change = $1 WHERE id = 1", s.LastChange)
}

// Answered records an answer of the endpoint. If its vectors have another dimension twice in a row, all blocks get new
// vectors; ok is false the first time.
func (w Writes) Answered(ctx context.Context, model string, dimension int64) (ok bool, err error) {
	s, err := w.Begin(ctx)
	switch {
	case err != nil:
		return false, err
	case s.Name != model:
		return false, errModel
	case s.Dimension == dimension:
		if s.Failures == 0 && s.Other == 0 && s.Error == "" {
			return true, nil
		}
	case s.Dimension != 0 && s.Other != dimension:
		return false, w.db.Exec(ctx, "UPDATE vector_state SET other = $1 WHERE id = 1", dimension)
	default:
		if err := w.db.Exec(ctx, "UPDATE vector_state SET dimension = $1, walked = 0 WHERE id = 1", dimension); err != nil {
			return false, err
		}
	}
	return true, w.db.Exec(ctx, "UPDATE vector_state SET other = 0, failures = 0, retry_at = 0, error = '' WHERE id = 1")
}

// Failed records a failure, after which the job waits until a time.
func (w Writes) Failed(ctx context.Context, code string, now, retry time.Time) error {
	return w.db.Exec(ctx, "UPDATE vector_state SET failures = failures + 1, error = $1, failed_at = $2, retry_at = $3 WHERE id = 1",
		code, sqlx.Micros(now), sqlx.Micros(retry))
}

// Change is a vector, or that a block has none.
type Change struct {
	Block  domain.BlockID
	Number int64
	Open   bool
	Vector []int8 // nil for none
}

// Changes lists changes of vectors after a number, in their order. Vectors of other models or dimensions count as none.
func (r Reads) Changes(ctx context.Context, of State, after int64, n int) ([]Change, error) {
	rows, err := r.db.Query(ctx, `SELECT block_id, change, open, CASE WHEN model = $1 AND dimension = $2 THEN vector END FROM block_vectors
		WHERE change > $3 ORDER BY change`+sqlx.Limit("$4"), of.Name, of.Dimension, after, n)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (c Change, err error) {
		var vector []byte
		err = row.Scan(&c.Block, &c.Number, &c.Open, &vector)
		c.Vector = valuesOf(vector)
		return c, err
	})
}

// Current returns the numbers of the current vectors of blocks, without those whose vector was deleted.
func (r Reads) Current(ctx context.Context, ids []domain.BlockID) (numbers map[domain.BlockID]int64, err error) {
	numbers = map[domain.BlockID]int64{}
	rows, err := r.db.Query(ctx, "SELECT block_id, change FROM block_vectors WHERE "+r.db.In("block_id", "$1")+" AND vector IS NOT NULL", sqlx.IDs(r.db.Dialect, ids))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.BlockID, err error) {
		var number int64
		err = row.Scan(&id, &number)
		numbers[id] = number
		return id, err
	})
	return numbers, err
}

// maxClosed is the maximum number of blocks that Closed reads for each way to see them.
const maxClosed = 20_000

// Closed lists blocks with vectors that not everyone sees but the viewer may: their own, and those in private channels. It
// lists the newest ones, up to a limit.
func (r Reads) Closed(ctx context.Context, viewer domain.UserID) ([]int64, error) {
	if viewer == 0 {
		return nil, nil
	}
	rows, err := r.db.Query(ctx, "WITH "+access.SomePrivateChannels("$2")+`
		SELECT * FROM (SELECT x.item_id FROM search_documents x WHERE x.author_id = $1 AND x.kind = 'Block' AND x.open = FALSE ORDER BY x.created_at DESC, x.item_id DESC`+sqlx.Limit("$2")+`) AS own
		UNION SELECT * FROM (SELECT c.item_id FROM channels ch CROSS JOIN connections c WHERE ch.id IN (SELECT id FROM ways) AND ch.visibility = 'private'
			AND `+access.VisibleChannel+` AND c.channel_id = ch.id AND c.item_type = 'Block' ORDER BY c.id DESC`+sqlx.Limit("$2")+`) AS theirs`, viewer, maxClosed)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
}

// Counts are the numbers of blocks by state.
type Counts struct {
	Waiting, Done, Private, Empty, Refused int64
}

// Counts counts the blocks.
func (r Reads) Counts(ctx context.Context) (c Counts, err error) {
	if c.Waiting, err = r.CountWaiting(ctx); err != nil {
		return c, err
	}
	rows, err := r.db.Query(ctx, "SELECT state, count(*) FROM block_vectors WHERE queued = 0 GROUP BY state")
	into := map[string]*int64{Done: &c.Done, Private: &c.Private, Empty: &c.Empty, Refused: &c.Refused}
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (state string, err error) {
		var n int64
		if err = row.Scan(&state, &n); err == nil && into[state] != nil {
			*into[state] = n
		}
		return state, err
	})
	return c, err
}

// CountWaiting counts the queued blocks.
func (r Reads) CountWaiting(ctx context.Context) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM block_vectors WHERE queued > 0"))
}

func bytesOf(values []int8) []byte {
	all := make([]byte, len(values))
	for i, v := range values {
		all[i] = byte(v)
	}
	return all
}

func valuesOf(bytes []byte) []int8 {
	if bytes == nil {
		return nil
	}
	all := make([]int8, len(bytes))
	for i, b := range bytes {
		all[i] = int8(b)
	}
	return all
}

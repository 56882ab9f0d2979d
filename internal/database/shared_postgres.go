package database

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/database/postgres"
)

// On PostgreSQL, members of a group hold the locks of those before them, and the rows that they lock have no common
// order. Two groups could block each other, which PostgreSQL detects only after a second. So only the first member waits
// for a lock for as long as it takes. If another one waits longer than lockPatience, its changes are rolled back, and it
// runs again as the first member of a group. Deferred work waits too: it locks rows that come last in the order of all
// transactions.
const lockPatience = "20ms"

var (
	impatient = postgres.Statement{Query: "SET LOCAL lock_timeout = '" + lockPatience + "'", Quiet: true}
	patient   = postgres.Statement{Query: "SET LOCAL lock_timeout TO DEFAULT", Quiet: true}
)

// errTooLong is returned by a member that must run again as the first one.
var errTooLong = errors.New("database: waited too long for a lock")

// sharedPostgres is a transaction of PostgreSQL that members of a group share.
type sharedPostgres struct {
	db        *DB
	line      *postgres.Tx
	impatient bool
	members   int
	until     time.Time // the latest deadline of a member
	unlimited bool      // a member has none
}

func (db *DB) beginShared(ctx context.Context) (sharedTx, error) {
	line, err := postgres.Begin(ctx, context.WithoutCancel(ctx), db.handle, postgres.ReadWrite)
	if err != nil {
		return nil, err
	}
	return &sharedPostgres{db: db, line: line}, nil
}

// savepoint and release are sent with the next statements, since they cannot fail.
func (s *sharedPostgres) savepoint() error {
	if !s.impatient {
		s.line.Add(impatient)
		s.impatient = true
	}
	s.members++
	s.line.Add(postgres.Statement{Query: "SAVEPOINT " + s.name(), Quiet: true})
	return nil
}

// name returns the name of the savepoint. Two successive ones differ, so that undo fails, instead of rolling back the
// changes of another member, if the savepoint was not sent.
func (s *sharedPostgres) name() string { return [2]string{"member", "next_member"}[s.members%2] }

func (s *sharedPostgres) release() error {
	s.line.Add(postgres.Statement{Query: "RELEASE " + s.name(), Quiet: true})
	return nil
}

// undo rolls back at once, so that no lock is held for longer. The savepoint was set by an impatient member, which
// applies again.
func (s *sharedPostgres) undo() error {
	s.impatient = true
	queued := s.line.Take()
	if i := slices.IndexFunc(queued, func(q postgres.Statement) bool { return q.Query == "SAVEPOINT "+s.name() }); i >= 0 {
		for _, q := range queued[:i] {
			s.line.Add(q)
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), undoTime)
	defer cancel()
	return s.line.Undo(ctx, s.name())
}

// undoTime is how long a member waits for the server to roll back its changes. Then the group is lost.
const undoTime = 3 * time.Second

func (s *sharedPostgres) member(ctx context.Context, g *group) (*Tx, func()) {
	if d, limited := ctx.Deadline(); !limited {
		s.unlimited = true
	} else if d.After(s.until) {
		s.until = d
	}
	return &Tx{line: s.line, group: g, run: s.db.watchedIn(ctx, lineHandle(s.line))}, func() {}
}

// finisher waits as long as the most patient member.
func (s *sharedPostgres) finisher(ctx context.Context) (context.Context, context.CancelFunc, *Tx) {
	if s.impatient {
		s.line.Add(patient)
		s.impatient = false
	}
	ctx, cancel := context.WithoutCancel(ctx), context.CancelFunc(func() {})
	if !s.unlimited {
		ctx, cancel = context.WithDeadline(ctx, s.until)
	}
	return ctx, cancel, &Tx{line: s.line, run: s.db.watchedIn(ctx, lineHandle(s.line))}
}

// refusal implements sharedTx. The check is sent with the commit.
func (s *sharedPostgres) refusal() error { return nil }

// resume makes a member impatient again after it has written the deferred work of others.
func (s *sharedPostgres) resume() {
	if s.members > 0 && !s.impatient {
		s.line.Add(impatient)
		s.impatient = true
	}
}

func (s *sharedPostgres) commit(ctx context.Context) error {
	defer s.rollback() // does nothing after a commit
	ctx, cancel, t := s.finisher(ctx)
	defer cancel()
	return s.db.commitPostgres(ctx, t)
}

func (s *sharedPostgres) rollback() { s.line.End() }

// commitPostgres sends the queued statements of a transaction, the check of the schema and the commit.
func (db *DB) commitPostgres(ctx context.Context, t *Tx) error {
	if t.failed != nil {
		return t.failed
	}
	all := t.line.Take()
	end := watchedAll(ctx, t.run, all)
	err := t.line.Commit(ctx, append(all, db.fencePostgres(t.always)...))
	end(err)
	if err != nil {
		t.line.End() // fenced takes another connection
	}
	return db.fenced(ctx, err)
}

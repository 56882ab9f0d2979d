// Package carry reads a whole database as rows of no dialect, and fills an empty one with
// such rows.
package carry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/schema"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/sqlx"
)

// Names of what a dump has beside tables.
const (
	Jobs  = "(jobs)"  // that wait or run
	Files = "(files)" // whose bytes the storage has, by their sums
)

// The columns of these.
var (
	jobsTable = database.Table{Name: Jobs, Columns: []database.Column{{Name: "args", Type: database.Text}, {Name: "at", Type: database.Int},
		{Name: "kind", Type: database.Text}, {Name: "max_attempts", Type: database.Int}, {Name: "queue", Type: database.Text}}}
	filesTable = database.Table{Name: Files, Columns: []database.Column{{Name: "hash", Type: database.Text},
		{Name: "object", Type: database.Text}, {Name: "size", Type: database.Int}}}
)

// made finds in migrations the tables that they make.
var made = regexp.MustCompile(`(?m)^(?:CREATE TABLE|ALTER TABLE \w+ RENAME TO) (\w+)`)

// notDumped reports which tables are no part of a dump. The words of search and what is
// closed to it are made anew, and which backups were made is no part of them. Jobs are
// carried by themselves. What people had made to take away they can have made again, and its
// bytes are their whole collections. Tables of others, such as those of Litestream, are not of the schema.
func notDumped(d database.Dialect) (skip func(table string) bool, err error) {
	ours := map[string]bool{}
	all := store.Migrations(d)
	names, err := fs.Glob(all, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(all, name)
		if err != nil {
			return nil, err
		}
		for _, match := range made.FindAllSubmatch(text, -1) {
			ours[string(match[1])] = true
		}
	}
	for _, name := range []string{"search_words", "search_closed", "backups", "exports"} {
		delete(ours, name)
	}
	return func(table string) bool { return !ours[table] }, nil
}

// Dumping is told what is in the database, in an order in which it can be loaded.
type Dumping interface {
	// Begin says the version of the schema and, by table, the last number that was given
	// out to a row. Everything begins anew if it is called again.
	Begin(schema int64, last map[string]int64) error
	// Row is the next row of a table; it must not be kept.
	Row(t database.Table, row []any) error
}

// Behind is an error where a newer program has migrated the database: it may serve this
// program, which knows nothing of the tables that are new, and would leave them out.
func Behind(ctx context.Context, db *database.DB) error {
	version, err := db.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	latest, err := schema.Latest(store.Migrations(db.Dialect()))
	if err == nil && version > latest {
		err = fmt.Errorf("the database is at version %d of the schema, of which this program knows %d: make backups with the newer program", version, latest)
	}
	return err
}

// Dump reads one state of the whole database.
func Dump(ctx context.Context, db *database.DB, to Dumping) error {
	if err := Behind(ctx, db); err != nil {
		return err
	}
	version, err := db.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	skip, err := notDumped(db.Dialect())
	if err != nil {
		return err
	}
	queue := jobs.NewQueue(db)
	err = db.View(ctx, func(q database.Querier) error {
		tables, err := db.Catalog(ctx, q, skip)
		if err != nil {
			return err
		}
		last := map[string]int64{}
		for _, t := range tables {
			if t.Last > 0 {
				last[t.Name] = t.Last
			}
		}
		if err := to.Begin(version, last); err != nil {
			return err
		}
		for _, t := range tables {
			if err := database.ReadTable(ctx, q, t, func(row []any) error { return to.Row(t, row) }); err != nil {
				return err
			}
		}
		err = queue.EachUndone(ctx, q, func(j jobs.Carried) error {
			return to.Row(jobsTable, []any{string(j.Args), j.At.Unix(), j.JobKind, j.MaxAttempts, j.Queue})
		})
		if err != nil {
			return err
		}
		return blobs.NewReads(sqlx.Conn{Querier: q, Dialect: sqlx.Dialect(db.Dialect())}).EachStoredBlob(ctx, func(hash, object string, size int64) error {
			return to.Row(filesTable, []any{hash, object, size})
		})
	})
	if err != nil {
		return err
	}
	now, err := db.SchemaVersion(ctx)
	if err == nil && now != version {
		err = errors.New("the database was migrated while it was read")
	}
	return err
}

// Loading fills an empty database from a dump.
type Loading struct {
	db     *database.DB
	queue  *jobs.Queue
	loader *database.Loader
}

// ErrNewer says that a dump was made by a newer version of the program.
var ErrNewer = errors.New("it was made by a newer version of this program")

// NewLoading brings an empty database to the version of a dump's schema.
func NewLoading(ctx context.Context, db *database.DB, version int64) (*Loading, error) {
	all := store.Migrations(db.Dialect())
	latest, err := schema.Latest(all)
	if err != nil {
		return nil, err
	}
	if version > latest {
		return nil, fmt.Errorf("%w: its schema has the version %d, this program knows %d", ErrNewer, version, latest)
	}
	if at, err := schema.Latest(schema.UpTo(all, version)); err != nil || at != version {
		return nil, errors.Join(fmt.Errorf("this program knows no version %d of the schema", version), err)
	}
	if _, err := db.Migrate(ctx, schema.UpTo(all, version)); err != nil {
		return nil, err
	}
	if _, err := jobs.Migrate(ctx, db); err != nil {
		return nil, err
	}
	skip, err := notDumped(db.Dialect())
	if err != nil {
		return nil, err
	}
	loader, err := db.NewLoader(ctx, skip)
	if err != nil {
		return nil, err
	}
	return &Loading{db: db, queue: jobs.NewQueue(db), loader: loader}, nil
}

// Close gives up what was not finished.
func (l *Loading) Close() error { return l.loader.Close() }

// Load adds rows to a table, or jobs to the queue.
func (l *Loading) Load(ctx context.Context, table string, columns []database.Column, rows iter.Seq2[[]any, error]) error {
	if table == Jobs {
		return l.loadJobs(ctx, columns, rows)
	}
	t, err := l.loader.Table(table, columns)
	if err != nil {
		return err
	}
	return l.loader.Load(ctx, t, rows)
}

func (l *Loading) loadJobs(ctx context.Context, columns []database.Column, rows iter.Seq2[[]any, error]) error {
	if !slices.Equal(columns, jobsTable.Columns) {
		return errors.New("its jobs have other columns")
	}
	return l.db.Transact(ctx, func(tx *database.Tx) error {
		var some []jobs.Carried
		for row, err := range rows {
			if err != nil {
				return err
			}
			for _, v := range row {
				if v == nil {
					return errors.New("a job lacks a value")
				}
			}
			some = append(some, jobs.Carried{Args: []byte(row[0].(string)), At: time.Unix(row[1].(int64), 0).UTC(),
				JobKind: row[2].(string), MaxAttempts: row[3].(int64), Queue: row[4].(string)})
			if len(some) < 500 {
				continue
			}
			if err := l.queue.Add(ctx, tx, some); err != nil {
				return err
			}
			some = some[:0]
		}
		return l.queue.Add(ctx, tx, some)
	})
}

// Loaded is called once all rows are there, with the last numbers that were given out, by
// table: what was loaded can be looked up from then on.
func (l *Loading) Loaded(ctx context.Context, last map[string]int64) error {
	return l.loader.Finish(ctx, last)
}

// Finish makes what is not in a dump: newer versions of the schema, and the words of search,
// of which tell is told how many documents have theirs. The store is that of the database.
func (l *Loading) Finish(ctx context.Context, tell func(documents int64)) (*store.Store, error) {
	if _, err := l.db.Migrate(ctx, store.Migrations(l.db.Dialect())); err != nil {
		return nil, err
	}
	s := store.New(l.db)
	if err := s.Analyze(ctx); err != nil {
		return nil, err
	}
	if err := LoadWords(ctx, s, tell); err != nil {
		return nil, fmt.Errorf("write the words of search: %w", err)
	}
	return s, nil
}

// wordsLoaded is of how many documents one transaction writes the words.
const wordsLoaded = 2000

// LoadWords writes the words of all documents, none of which has any yet, and tells of how
// many it has written them.
func LoadWords(ctx context.Context, s *store.Store, tell func(documents int64)) error {
	var end []string
	err := s.InTx(ctx, func(tx *store.Tx) (err error) {
		end, err = tx.BeginWords(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var done int64
	for _, kind := range []domain.SubjectType{domain.SubjectBlock, domain.SubjectChannel, domain.SubjectUser, domain.SubjectGroup} {
		for above, n := int64(0), wordsLoaded; n == wordsLoaded; tell(done) {
			err := s.InTx(ctx, func(tx *store.Tx) (err error) {
				above, n, err = tx.LoadWords(ctx, kind, above, wordsLoaded)
				return err
			})
			if err != nil {
				return err
			}
			done += int64(n)
		}
	}
	return s.InTx(ctx, func(tx *store.Tx) error { return tx.EndWords(ctx, end) })
}

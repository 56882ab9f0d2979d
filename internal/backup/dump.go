package backup

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
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/sqlx"
)

// Names of the parts of a dump that are not tables.
const (
	JobsTable  = "(jobs)"  // unfinished jobs
	FilesTable = "(files)" // files in the storage, with their checksums
)

// The columns of these parts.
var (
	jobsTable = database.Table{Name: JobsTable, Columns: []database.Column{{Name: "args", Type: database.Text}, {Name: "at", Type: database.Int},
		{Name: "kind", Type: database.Text}, {Name: "max_attempts", Type: database.Int}, {Name: "queue", Type: database.Text}}}
	filesTable = database.Table{Name: FilesTable, Columns: []database.Column{{Name: "hash", Type: database.Text},
		{Name: "object", Type: database.Text}, {Name: "size", Type: database.Int}}}
)

// createdTable matches the statements of migrations that create tables.
var createdTable = regexp.MustCompile(`(?m)^(?:CREATE TABLE|ALTER TABLE \w+ RENAME TO) (\w+)`)

// notDumped returns a function that reports which tables a dump omits: the search index, which is
// rebuilt, a number that only a running program needs, additions to sums that the dump contains, the list of backups, jobs, which are dumped separately, exports, which users can create
// again and which contain their whole collections, the read-only mode, and the changes with the key of their cursors and the log of webhooks, as
// clients must start again after a restore. It also omits tables that are not part of the schema,
// such as those of Litestream.
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
		for _, match := range createdTable.FindAllSubmatch(text, -1) {
			ours[string(match[1])] = true
		}
	}
	for _, name := range []string{"search_words", "search_spellings", "search_closed", "search_removals", "text_additions", "vector_state", "block_vectors", "backups", "exports", "changes", "change_epoch", "webhook_deliveries", "read_only"} {
		delete(ours, name)
	}
	return func(table string) bool { return !ours[table] }, nil
}

// Dumping receives the content of a database in an order in which it can be loaded.
type Dumping interface {
	// Begin receives the schema version and the highest row number of each table. If it is called
	// again, the dump starts over.
	Begin(schema int64, last map[string]int64) error
	// Row receives the next row of a table. It must not keep the row.
	Row(t database.Table, row []any) error
}

// Behind returns an error if a newer program has migrated the database. Such a database may still support
// this program, but a dump would omit the new tables, which this program does not know.
func Behind(ctx context.Context, db *database.DB) error {
	version, err := db.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	latest, err := database.LatestVersion(store.Migrations(db.Dialect()))
	if err == nil && version > latest {
		err = fmt.Errorf("the schema of the database has version %d, but this program only supports %d: use the newer program for backups", version, latest)
	}
	return err
}

// DumpDatabase reads a snapshot of the whole database.
func DumpDatabase(ctx context.Context, db *database.DB, to Dumping) error {
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
			from := t
			if t.Name == "byte_usage" {
				from.Name = "current_byte_usage" // with the rows of text_additions
			}
			if err := database.ReadTable(ctx, q, from, func(row []any) error { return to.Row(t, row) }); err != nil {
				return err
			}
		}
		err = queue.EachUnfinished(ctx, q, func(j jobs.Dumped) error {
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
		err = errors.New("the database was migrated during the backup: start it again")
	}
	return err
}

// Loading fills an empty database from a dump.
type Loading struct {
	// Applied, if not nil, is called after each migration of Finish.
	Applied func(database.Applied)

	db     *database.DB
	queue  *jobs.Queue
	loader *database.Loader
}

// NewLoading migrates an empty database to the schema version of a dump.
func NewLoading(ctx context.Context, db *database.DB, version int64) (*Loading, error) {
	all := store.Migrations(db.Dialect())
	latest, err := database.LatestVersion(all)
	if err != nil {
		return nil, err
	}
	if version > latest {
		return nil, fmt.Errorf("%w: its schema has version %d, but this program only supports %d", ErrNewer, version, latest)
	}
	if at, err := database.LatestVersion(database.MigrationsUpTo(all, version)); err != nil || at != version {
		return nil, errors.Join(fmt.Errorf("this program does not have version %d of the schema", version), err)
	}
	if _, err := db.Migrate(ctx, database.MigrationsUpTo(all, version)); err != nil {
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

// Close releases the connection of an unfinished load.
func (l *Loading) Close() error { return l.loader.Close() }

// Load inserts rows into a table or jobs into the queue.
func (l *Loading) Load(ctx context.Context, table string, columns []database.Column, rows iter.Seq2[[]any, error]) error {
	if table == JobsTable {
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
		return errors.New("the columns of the jobs are unknown")
	}
	return l.db.Transact(ctx, func(tx *database.Tx) error {
		var some []jobs.Dumped
		for row, err := range rows {
			if err != nil {
				return err
			}
			for _, v := range row {
				if v == nil {
					return errors.New("a job has a missing value")
				}
			}
			some = append(some, jobs.Dumped{Args: []byte(row[0].(string)), At: time.Unix(row[1].(int64), 0).UTC(),
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

// Loaded must be called after all rows are loaded, with the highest row number of each table. Loaded
// data can be queried afterwards.
func (l *Loading) Loaded(ctx context.Context, last map[string]int64) error {
	return l.loader.Finish(ctx, last)
}

// Finish migrates the schema to the latest version and builds the search index. It calls onProgress with the
// number of indexed documents, and returns the store of the database.
func (l *Loading) Finish(ctx context.Context, onProgress func(documents int64)) (*store.Store, error) {
	applied := l.Applied
	if applied == nil {
		applied = func(database.Applied) {}
	}
	if _, err := l.db.MigrateCopy(ctx, store.Migrations(l.db.Dialect()), applied); err != nil {
		return nil, err
	}
	s := store.New(l.db)
	if err := s.Analyze(ctx); err != nil {
		return nil, err
	}
	if err := LoadWords(ctx, s, onProgress); err != nil {
		return nil, fmt.Errorf("build the search index: %w", err)
	}
	return s, nil
}

// wordsLoaded is the number of documents that are indexed in one transaction.
const wordsLoaded = 2000

// LoadWords builds the search index, which must be empty. It calls onProgress with the number of indexed
// documents.
func LoadWords(ctx context.Context, s *store.Store, onProgress func(documents int64)) error {
	var end []string
	err := s.InTx(ctx, func(tx *store.Tx) (err error) {
		end, err = tx.Documents().BeginWords(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var done int64
	for _, kind := range []domain.SubjectType{domain.SubjectBlock, domain.SubjectChannel, domain.SubjectUser, domain.SubjectGroup} {
		for above, n := int64(0), wordsLoaded; n == wordsLoaded; onProgress(done) {
			err := s.InTx(ctx, func(tx *store.Tx) (err error) {
				above, n, err = tx.Documents().LoadWords(ctx, kind, above, wordsLoaded)
				return err
			})
			if err != nil {
				return err
			}
			done += int64(n)
		}
	}
	return s.InTx(ctx, func(tx *store.Tx) error { return tx.Documents().EndWords(ctx, end) })
}

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	_ "modernc.org/sqlite" // the driver that the program uses
)

// schema is sufficient for exactly these five requests.
const schema = `
CREATE TABLE users (id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE tokens (token TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id)) WITHOUT ROWID;
CREATE TABLE channels (id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, title TEXT NOT NULL, private INTEGER NOT NULL,
	user_id INTEGER NOT NULL REFERENCES users (id), items INTEGER NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE blocks (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), type TEXT NOT NULL,
	open INTEGER NOT NULL, title TEXT, description TEXT, markdown TEXT, html TEXT, source TEXT,
	created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE connections (id INTEGER PRIMARY KEY, channel_id INTEGER NOT NULL REFERENCES channels (id), item_type TEXT NOT NULL,
	item_id INTEGER NOT NULL, open INTEGER NOT NULL, position INTEGER NOT NULL, user_id INTEGER NOT NULL REFERENCES users (id),
	created_at INTEGER NOT NULL);
CREATE INDEX connections_position ON connections (channel_id, open, position);
CREATE VIRTUAL TABLE words USING fts5 (title, body, content='');
`

// copies fills it from Vitrine's database, which is attached as v.
var copies = []string{
	`INSERT INTO users SELECT id, slug, name FROM v.users`,
	`INSERT INTO channels SELECT id, slug, title, visibility = 'private', user_id, blocks_count + channels_count, created_at FROM v.channels`,
	`INSERT INTO blocks SELECT id, user_id, type, open_count > 0, title, description_markdown, content_markdown, content_html,
		source_url, created_at, updated_at FROM v.blocks`,
	`INSERT INTO connections SELECT id, channel_id, item_type, item_id, NOT item_private,
		row_number() OVER (PARTITION BY channel_id ORDER BY position_key), user_id, created_at FROM v.connections`,
	`INSERT INTO words (rowid, title, body) SELECT id, COALESCE(title, ''), COALESCE(content_plain, '') || ' ' || COALESCE(description_plain, '')
		FROM v.blocks`,
}

// plainSQLite is the small server's database in a file: a pool of readers, and one connection that writes.
type plainSQLite struct {
	reads, writes *sql.DB
	statements    map[string]*sql.Stmt // prepared on reads or, if only transactions use them, on writes
}

// sqliteSearch searches with FTS5.
var sqliteSearch = plainSearch{
	found: "SELECT count(*) FROM words w JOIN blocks b ON b.id = w.rowid WHERE words MATCH $1 AND b.open",
	search: "SELECT " + blockColumns + ` FROM words w JOIN blocks b ON b.id = w.rowid JOIN users u ON u.id = b.user_id
		WHERE words MATCH $1 AND b.open ORDER BY w.rank LIMIT $2 OFFSET $3`,
	ids: `SELECT b.id FROM words w JOIN blocks b ON b.id = w.rowid WHERE words MATCH $1 AND b.open
		ORDER BY w.rank LIMIT $2`,
	addWords: "INSERT INTO words (rowid, title, body) VALUES ($1, '', $2)",
	query:    quoted,
}

// quoted returns a query of FTS5 for words without operators.
func quoted(query string) string {
	words := strings.Fields(query)
	for i, word := range words {
		words[i] = `"` + strings.ReplaceAll(word, `"`, `""`) + `"`
	}
	return strings.Join(words, " ")
}

func newPlainSQLite(ctx context.Context, path string) (*plain, error) {
	db := &plainSQLite{statements: map[string]*sql.Stmt{}}
	var err error
	if db.reads, err = openPlain(path, 4); err != nil {
		return nil, err
	}
	if db.writes, err = openPlain(path, 1); err != nil {
		return nil, errors.Join(err, db.reads.Close())
	}
	of := sqliteSearch
	for on, texts := range map[*sql.DB][]string{
		db.reads:  {plainByID, plainChannelBy, plainCount, plainPage, plainUserOf, of.found, of.search, of.ids},
		db.writes: {plainAddBlock, of.addWords, plainPlace, plainConnect},
	} {
		for _, text := range texts {
			s, failed := on.PrepareContext(ctx, text)
			err, db.statements[text] = errors.Join(err, failed), s
		}
	}
	if err != nil {
		return nil, errors.Join(err, db.close())
	}
	return &plain{db, of}, nil
}

func (db *plainSQLite) close() error { return errors.Join(db.reads.Close(), db.writes.Close()) }

func (db *plainSQLite) rows(ctx context.Context, text string, args ...any) (plainRows, error) {
	return db.statements[text].QueryContext(ctx, args...)
}

func (db *plainSQLite) row(ctx context.Context, text string, args ...any) interface{ Scan(dest ...any) error } {
	return db.statements[text].QueryRowContext(ctx, args...)
}

// exec runs a statement that is not one of those that are prepared.
func (db *plainSQLite) exec(ctx context.Context, text string, args ...any) error {
	_, err := db.writes.ExecContext(ctx, text, args...)
	return err
}

func (db *plainSQLite) inTx(ctx context.Context, do func(tx plainConn) error) error {
	return inTx(ctx, db.writes, func(tx *sql.Tx) error { return do(plainSQLiteTx{tx, db}) })
}

// plainSQLiteTx runs the prepared statements in a transaction.
type plainSQLiteTx struct {
	tx *sql.Tx
	db *plainSQLite
}

func (t plainSQLiteTx) row(ctx context.Context, text string, args ...any) interface{ Scan(dest ...any) error } {
	return t.tx.StmtContext(ctx, t.db.statements[text]).QueryRowContext(ctx, args...)
}

func (t plainSQLiteTx) exec(ctx context.Context, text string, args ...any) error {
	_, err := t.tx.StmtContext(ctx, t.db.statements[text]).ExecContext(ctx, args...)
	return err
}

// openPlain opens a file with a limited number of connections. Every commit is synced to disk.
func openPlain(path string, conns int) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "cache_size(-16000)"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// copyData creates the small server's file from Vitrine's data.
func copyData(ctx context.Context, from, to, writer, reader string) (err error) {
	db, err := openPlain(to, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "ATTACH $1 AS v", from); err != nil {
		return err
	}
	if err := inTx(ctx, db, func(tx *sql.Tx) error {
		for _, s := range append([]string{schema}, copies...) {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("%.40s: %w", s, err)
			}
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO tokens SELECT $1, min(id) FROM users UNION ALL SELECT $2, max(id) FROM users", writer, reader)
		return err
	}); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "ANALYZE main")
	return err
}

// inTx calls do in a transaction.
func inTx(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

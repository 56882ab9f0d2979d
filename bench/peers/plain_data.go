package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

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

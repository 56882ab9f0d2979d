package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// raw writes what a block in a channel is at the least, straight into an SQLite file on the
// disk of the data: a row of the block, one of its connection and its words in an index of
// full text, in a transaction each that is brought to the disk (synchronous=FULL). There is
// one writer, who waits for nobody, with prepared statements.
type raw struct {
	folder string
	db     *sql.DB
	insert []*sql.Stmt
	made   int
}

var rawSchema = []string{
	"CREATE TABLE blocks (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, markdown TEXT NOT NULL, html TEXT NOT NULL, created_at INTEGER NOT NULL)",
	"CREATE TABLE connections (id INTEGER PRIMARY KEY, channel_id INTEGER NOT NULL, block_id INTEGER NOT NULL, position INTEGER NOT NULL)",
	"CREATE UNIQUE INDEX connections_position ON connections (channel_id, position)",
	"CREATE INDEX connections_block ON connections (block_id)",
	"CREATE VIRTUAL TABLE words USING fts5 (body)",
}

func newRaw(dataDir string) (r *raw, err error) {
	r = new(raw)
	if r.folder, err = os.MkdirTemp(dataDir, "raw-"); err != nil {
		return nil, err
	}
	q := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "cache_size(-16000)"}, "_txlock": {"immediate"}}
	if r.db, err = sql.Open("sqlite", "file:"+filepath.Join(r.folder, "raw.db")+"?"+q.Encode()); err != nil {
		return nil, errors.Join(err, r.close())
	}
	r.db.SetMaxOpenConns(1)
	for _, s := range rawSchema {
		if _, err := r.db.Exec(s); err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	for _, s := range []string{"INSERT INTO blocks VALUES (?, 1, ?, ?, ?)", "INSERT INTO connections VALUES (?, 1, ?, ?)",
		"INSERT INTO words (rowid, body) VALUES (?, ?)"} {
		put, err := r.db.Prepare(s)
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.insert = append(r.insert, put)
	}
	return r, nil
}

func (r *raw) close() error {
	var err error
	if r.db != nil {
		err = r.db.Close()
	}
	return errors.Join(err, os.RemoveAll(r.folder))
}

// measure makes so many blocks, or as many as there is time for.
func (r *raw) measure(b bound) (speed, error) {
	var took []time.Duration
	began, used := time.Now(), cpuTime()
	for len(took) < b.requests && time.Since(began) < b.time {
		start := time.Now()
		if err := r.write(); err != nil {
			return speed{}, err
		}
		took = append(took, time.Since(start))
	}
	return speedOf(took, time.Since(began), cpuTime()-used), nil
}

func (r *raw) write() error {
	ctx := context.Background()
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	r.made++
	text := fmt.Sprintf("Note %d: a *short* text with a [link](https://www.example.org/%d).", r.made, r.made)
	html := fmt.Sprintf("<p>Note %d: a <em>short</em> text with a <a href=\"https://www.example.org/%d\">link</a>.</p>", r.made, r.made)
	for i, args := range [][]any{{r.made, text, html, time.Now().UnixMicro()}, {r.made, r.made, r.made}, {r.made, text}} {
		if _, err := tx.StmtContext(ctx, r.insert[i]).ExecContext(ctx, args...); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

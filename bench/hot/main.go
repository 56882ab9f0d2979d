// Command hot compares the read of a block by key through internal/database with the same statement on a
// connection of SQLite without anything in between, in turn in one process. It ends with status 1 if ours takes
// more than -limit times as long: then our code, or a new version of the module, costs more for each statement,
// as if SQLite planned it again at each use.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"vitrine/bench/dataset"
	"vitrine/internal/database"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/rowmap"
)

var query = "SELECT " + rowmap.BlockColumns + rowmap.BlockFrom + "WHERE b.id = $1"

func main() {
	// The read takes 1.2 to 2 times as long, and more than ten times if each use plans the statement again.
	limit := flag.Float64("limit", 4, "how many times as long as the bare statement the read may take")
	flag.Parse()
	ratio, err := measure(context.Background())
	if err == nil && ratio > *limit {
		err = fmt.Errorf("a read of a block takes %.1f times as long as the bare statement, and the limit is %.1f", ratio, *limit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hot:", err)
		os.Exit(1)
	}
}

// measure fills a temporary database and returns the time of our read divided by that of the bare statement.
func measure(ctx context.Context) (ratio float64, err error) {
	dir, err := os.MkdirTemp("", "vitrine-hot-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "vitrine.db")
	db, err := database.Open(ctx, database.Options{URL: path, Synchronous: "OFF"})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ids, err := fill(ctx, db)
	if err != nil {
		return 0, err
	}
	bare, err := openBare(path)
	if err != nil {
		return 0, err
	}
	defer bare.close()
	ours := func(id int64, row []any) error {
		dest := make([]any, len(row))
		for i := range row {
			dest[i] = &row[i]
		}
		return db.Reader().QueryRow(database.Uninterruptible(ctx), query, id).Scan(dest...)
	}
	if err := same(ids, bare.columns, ours, bare.read); err != nil {
		return 0, err
	}
	return compare(ids, bare.columns, ours, bare.read)
}

func fill(ctx context.Context, db *database.DB) (ids []int64, err error) {
	if _, err := db.Migrate(ctx, store.Migrations(db.Dialect())); err != nil {
		return nil, err
	}
	if _, err := jobs.Migrate(ctx, db); err != nil {
		return nil, err
	}
	if _, err := dataset.Fill(ctx, store.New(db), dataset.Size{Users: 60, Channels: 40, Blocks: 300, Connections: 450, Large: 100, Small: 50, Seed: 1}); err != nil {
		return nil, err
	}
	rows, err := db.Reader().Query(ctx, "SELECT id FROM blocks ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// read reads the columns of a block.
type read func(id int64, row []any) error

// same checks that both return the same rows.
func same(ids []int64, columns int, ours, bare read) error {
	a, b := make([]any, columns), make([]any, columns)
	for _, id := range ids {
		if err := errors.Join(ours(id, a), bare(id, b)); err != nil {
			return err
		}
		if fmt.Sprint(a) != fmt.Sprint(b) {
			return fmt.Errorf("block %d is %v and %v", id, a, b)
		}
	}
	return nil
}

const (
	rounds = 25
	reads  = 2000 // in a round
)

// compare measures both in turn, and divides their fastest rounds, because other programs only make a round slower.
func compare(ids []int64, columns int, ours, bare read) (ratio float64, err error) {
	row := make([]any, columns)
	fastest := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for range rounds {
		for i, f := range []read{ours, bare} {
			start := time.Now()
			for n := range reads {
				if err := f(ids[n%len(ids)], row); err != nil {
					return 0, err
				}
			}
			fastest[i] = min(fastest[i], time.Since(start)/reads)
		}
	}
	ratio = float64(fastest[0]) / float64(fastest[1])
	fmt.Printf("a read of a block by key takes %v, the bare statement %v: %.2f times as long\n", fastest[0], fastest[1], ratio)
	return ratio, nil
}

package database_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

func benchTable(b *testing.B, url string) *database.DB {
	db := open(b, database.Options{URL: url})
	exec(b, db, "CREATE TABLE items (id INTEGER PRIMARY KEY, slug TEXT NOT NULL, n BIGINT NOT NULL)")
	err := db.Transact(b.Context(), func(tx *database.Tx) error {
		for i := range 1000 {
			_, err := tx.Exec(b.Context(), "INSERT INTO items VALUES ($1, $2, $3)", i, "item-"+strconv.Itoa(i), i*i)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

func benchPointSelect(b *testing.B, ctx context.Context, q database.Querier) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		var slug string
		var n int64
		err := q.QueryRow(ctx, "SELECT slug, n FROM items WHERE id = $1", i%1000).Scan(&slug, &n)
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPointSelect(b *testing.B) {
	deadline, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for name, url := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLitePath, "postgres": dbtest.PostgresURL} {
		b.Run(name, func(b *testing.B) {
			db := benchTable(b, url(b))
			b.Run("background", func(b *testing.B) { benchPointSelect(b, context.Background(), db.Reader()) })
			b.Run("deadline", func(b *testing.B) { benchPointSelect(b, deadline, db.Reader()) })
			b.Run("view", func(b *testing.B) {
				err := db.View(deadline, func(q database.Querier) error {
					benchPointSelect(b, deadline, q)
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkTransact(b *testing.B) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for name, url := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLitePath, "postgres": dbtest.PostgresURL} {
		b.Run(name, func(b *testing.B) {
			db := benchTable(b, url(b))
			b.ReportAllocs()
			for b.Loop() {
				err := db.Transact(ctx, func(tx *database.Tx) error {
					_, err := tx.Exec(ctx, "UPDATE items SET n = n + 1 WHERE id = $1", 7)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

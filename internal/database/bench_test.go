package database_test

import (
	"context"
	"strconv"
	"syscall"
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

// BenchmarkLayer reads rows of 20 columns from PostgreSQL through database/sql, as all statements do, and
// through pgx. It measures the CPU time of this process, without the server.
func BenchmarkLayer(b *testing.B) {
	db := open(b, database.Options{URL: dbtest.PostgresURL(b)})
	exec(b, db, `CREATE TABLE wide AS SELECT i AS id, i AS a, i AS b, i AS c, i AS d, i AS e, i AS f, i AS g, 'Text' AS h, 'available' AS i,
		repeat('words ', 20) AS j, repeat('<p>words</p>', 20) AS k, 'title' AS l, CAST(NULL AS TEXT) AS m, CAST(NULL AS TEXT) AS n,
		'https://www.example.org' AS o, CAST(NULL AS TEXT) AS p, CAST(NULL AS BIGINT) AS q, TRUE AS r, i AS s FROM generate_series(1, 1000) AS l (i)`)
	exec(b, db, "CREATE INDEX wide_id ON wide (id)")
	const query = "SELECT * FROM wide WHERE id >= $1 ORDER BY id LIMIT $2"
	var ints [9]int64
	var texts [6]string
	var null [3]*string
	var number *int64
	var yes bool
	into := []any{&ints[0], &ints[1], &ints[2], &ints[3], &ints[4], &ints[5], &ints[6], &ints[7], &texts[0], &texts[1], &texts[2], &texts[3],
		&texts[4], &null[0], &null[1], &texts[5], &null[2], &number, &yes, &ints[8]}
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	for _, n := range []int{1, 24} {
		for name, read := range map[string]func(from int) error{
			"sql": func(from int) error {
				rows, err := db.Reader().Query(ctx, query, from, n)
				if err != nil {
					return err
				}
				defer func() { _ = rows.Close() }()
				for rows.Next() {
					if err := rows.Scan(into...); err != nil {
						return err
					}
				}
				return rows.Err()
			},
			"pgx": func(from int) error {
				rows, err := database.Pool(db).Query(ctx, query, from, n)
				if err != nil {
					return err
				}
				defer rows.Close()
				for rows.Next() {
					if err := rows.Scan(into...); err != nil {
						return err
					}
				}
				return rows.Err()
			},
		} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				before := processorTime(b)
				for i := 0; b.Loop(); i++ {
					if err := read(1 + i%900); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

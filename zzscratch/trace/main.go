package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

func spent() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type st struct {
	q string
	a []any
}

var all []st

func main() {
	ctx := context.Background()
	db, err := database.Open(ctx, database.Options{URL: os.Args[1]})
	if err != nil {
		panic(err)
	}
	defer db.Close()
	s := store.New(db)
	q := domain.Search{Query: os.Args[2], Sort: domain.SearchSort{Desc: true}, Page: domain.Page{Number: 1, Per: 24}, Seed: 7}
	viewer := domain.UserID(1)
	for _, a := range os.Args[3:] {
		switch {
		case a == "created":
			q.Sort.Key = domain.SearchByCreated
		case a == "chance":
			q.Sort.Key = domain.SearchByChance
		case a == "p50":
			q.Page.Number = 50
		case a == "following":
			q.Scope = "following"
			viewer = 2000
		case a == "large":
			q.Channel = 1
		case a == "small":
			q.Channel = 2
		case strings.HasPrefix(a, "type="):
			q.Types = []string{a[5:]}
		}
	}
	for range 3 {
		all = nil
		b := spent()
		w := time.Now()
		err = s.InSnapshot(ctx, func(v *store.Snapshot) error {
			store.ZZTrace(&v.Queries, func(q string, a []any) { all = append(all, st{q, a}) })
			l, err := v.Search(ctx, store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
			fmt.Println(l.Total, len(l.Items), err)
			return err
		})
		fmt.Println(spent()-b, time.Since(w))
	}
	seen := all
	for _, x := range seen {
		var best time.Duration
		for range 3 {
			b := spent()
			db.View(ctx, func(q database.Querier) error {
				rows, err := q.Query(ctx, x.q, x.a...)
				if err != nil {
					return err
				}
				for rows.Next() {
				}
				return rows.Close()
			})
			if t := spent() - b; best == 0 || t < best {
				best = t
			}
		}
		fmt.Println("----", best, x.q, x.a)
		if os.Getenv("PLAN") != "" {
			p := "EXPLAIN QUERY PLAN "
			if db.Dialect() == database.Postgres {
				p = "EXPLAIN  "
			}
			db.View(ctx, func(q database.Querier) error {
				rows, err := q.Query(ctx, p+x.q, x.a...)
				if err != nil {
					fmt.Println(err)
					return err
				}
				for rows.Next() {
					var a, b, c int
					var t string
					if db.Dialect() == database.Postgres {
						rows.Scan(&t)
					} else {
						rows.Scan(&a, &b, &c, &t)
					}
					fmt.Println("   ", a, b, t)
				}
				return rows.Close()
			})
		}
	}
}

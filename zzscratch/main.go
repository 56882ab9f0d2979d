package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"vitrine/internal/database"
)

func main() {
	ctx := context.Background()
	db, err := database.Open(ctx, database.Options{URL: os.Args[1], Synchronous: "OFF"})
	if err != nil {
		panic(err)
	}
	defer db.Close()
	for _, sql := range os.Args[2:] {
		if strings.HasPrefix(sql, "!") {
			b := time.Now()
			err := db.Transact(ctx, func(tx *database.Tx) error { _, err := tx.Exec(ctx, sql[1:]); return err })
			fmt.Println(time.Since(b), err, sql)
			continue
		}
		var all []float64
		n := 0
		last := ""
		for range 5 {
			b := time.Now()
			err := db.View(ctx, func(q database.Querier) error {
				rows, err := q.Query(ctx, sql)
				if err != nil {
					return err
				}
				defer rows.Close()
				n = 0
				for rows.Next() {
					n++
					if n == 1 { rows.Scan(&last) }
				}
				return rows.Err()
			})
			if err != nil {
				fmt.Println(err)
				break
			}
			all = append(all, float64(time.Since(b).Microseconds())/1000)
		}
		sort.Float64s(all)
		fmt.Printf("%8.2f ms (%d rows, first %s) %s\n", all[len(all)/2], n, last, sql)
	}
}

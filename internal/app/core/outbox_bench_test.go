package core_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/apptest"
	"vitrine/internal/store/storetest"
)

// BenchmarkOutbox measures writes with and without recording their changes, in turn, so that the load of the machine
// affects both.
func BenchmarkOutbox(b *testing.B) {
	db := storetest.Migrated.SQLite
	if os.Getenv("VITRINE_TEST_ONLY") == "postgres" {
		db = storetest.Migrated.Postgres
	}
	r := apptest.Boot(b, db(b))
	channel := r.Channel("ada", "Many", "public")
	cases := []struct {
		name  string
		write func(n int)
	}{
		{"block", func(n int) {
			r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": fmt.Sprint("Note ", n), "channel_ids": []int64{channel}}).Want(http.StatusCreated)
		}},
		{"channel", func(n int) {
			r.Do("ada", "POST", "/v3/channels", map[string]any{"title": fmt.Sprint("Channel ", n)}).Want(http.StatusCreated)
		}},
		{"title", func(n int) {
			r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"title": fmt.Sprint("Many ", n)}).Want(http.StatusOK)
		}},
	}
	defer core.SwitchOutbox(true)
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			var with, without []time.Duration
			for n := range b.N {
				for i := range 2 {
					on := i == n%2
					core.SwitchOutbox(on)
					start := time.Now()
					c.write(2*n + i)
					if took := time.Since(start); on {
						with = append(with, took)
					} else {
						without = append(without, took)
					}
				}
			}
			slices.Sort(with)
			slices.Sort(without)
			b.ReportMetric(float64(with[len(with)/2])/float64(without[len(without)/2]), "median-with/without")
		})
	}
}

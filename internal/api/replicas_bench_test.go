package api_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// BenchmarkReplicas measures the primary's processor time for reads, with and without a replica.
func BenchmarkReplicas(b *testing.B) {
	pair := dbtest.NewPair(b)
	r := newReplicated(b, pair, "cost", time.Hour)
	url := pair.URL(dbtest.Primary, "cost")
	alone := apptest.Boot(b, database.Options{URL: url + "&pool_max_conns=8"}, func(*config.Config) {})
	channel := r.Channel("ada", "Many", "public")
	for i := range 60 {
		r.Block("ada", fmt.Sprintf("Moss %d", i), channel)
	}
	pair.Catch()
	r.read(b, channel)
	pair.Catch()
	paths := []string{"/v3/channels/%d", "/v3/channels/%d/contents?per=50", "/v3/channels/%d/connections", "/v3/channels/%d/contents?per=20&page=2"}
	for _, who := range []string{"guest", "ada"} {
		for _, at := range []struct {
			name string
			node http.Handler
		}{{"primary alone", alone.S.Handler()}, {"a replica", r.nodes[0]}} {
			b.Run(who+"/"+at.name, func(b *testing.B) {
				token := strings.TrimPrefix(who, "guest")
				before, n := primaryTime(b, pair), 0
				for b.Loop() {
					r.SendTo(at.node, r.Request(token, "GET", fmt.Sprintf(paths[n%len(paths)], channel), nil)).Want(http.StatusOK)
					n++
				}
				b.ReportMetric(float64((primaryTime(b, pair)-before).Microseconds())/float64(n), "primary-µs/op")
			})
		}
	}
}

// primaryTime returns the processor time of all processes of a primary, which have its data directory as working
// directory.
func primaryTime(b *testing.B, pair *dbtest.Pair) (sum time.Duration) {
	b.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil || len(all) == 0 {
		b.Skip("there is no /proc")
	}
	for _, cwd := range all {
		if at, err := os.Readlink(cwd); err != nil || at != pair.Folder(dbtest.Primary) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(filepath.Dir(cwd), "stat"))
		if err != nil {
			continue // the process has ended
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		for _, ticks := range strings.Fields(rest)[11:13] { // utime and stime, in hundredths of a second: see proc(5)
			n, err := strconv.ParseInt(ticks, 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return sum
}

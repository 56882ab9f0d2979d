package api_test

import (
	"net/http"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// A standby of another cluster is never read, and the log reports it once.
func TestForeignReplica(t *testing.T) {
	t.Parallel()
	o := storetest.Migrated.Postgres(t)
	pair := dbtest.NewPair(t)
	r := &replicated{pair: pair, Rig: apptest.Boot(t, o, func(c *config.Config) {
		c.MetricsAddr = "127.0.0.1:0"
		c.Replicas = config.Replicas{URLs: []string{pair.URL(dbtest.Standby, "postgres")}, MaxLag: time.Hour}
	})}
	r.nodes = []http.Handler{r.S.Handler(), r.Beside(func(*server.Options) {}).Handler()}
	r.serveMetrics()
	channel := r.Channel("ada", "Before", "public")
	until(t, "it is left out", func() bool { return len(r.Log("database replica is excluded")) > 0 })
	for _, node := range r.nodes {
		for _, as := range []string{"", "bob", "ada"} {
			if got := r.title(node, as, channel); got != "Before" {
				t.Errorf("%q sees %q", as, got)
			}
		}
	}
	if lines := r.Log("database replica is excluded"); len(lines) > len(r.nodes) {
		t.Errorf("each server says so once, and not %q", lines)
	}
	if up, reads, skipped := r.value("up"), r.value("reads_total"), r.value(`skipped_total{reason="late"}`); up != 0 || reads != 0 || skipped == 0 {
		t.Errorf("up %v, %v requests read there and %v not", up, reads, skipped)
	}
}

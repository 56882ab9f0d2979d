package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/server"
)

// A server learns of the read-only mode that another process begins. Its jobs pause, and run after the end. Health checks
// show the mode.
func TestReadOnlyElsewhere(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		other := r.Beside(func(*server.Options) {}).App.Operating
		r.Listen()
		until := func(what string, done func() bool) {
			t.Helper()
			for end := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("after a minute: %s", what)
				}
			}
		}
		if _, err := other.BeginReadOnly(t.Context(), operating.CommandLine(), operating.ReadOnlyInput{Reason: "Moving"}); err != nil {
			t.Fatal(err)
		}
		until("the server does not know of the mode", func() bool { return r.S.App.Operating.Mode() != nil })
		if res := r.Do("", "GET", "/readyz", nil).Want(http.StatusOK); !strings.Contains(string(res.Body), "ready: read-only") {
			t.Errorf("/readyz: %s", res.Body)
		}
		until("the jobs run", func() bool { return len(r.Log("paused running jobs")) > 0 })
		if _, err := other.EndReadOnly(t.Context(), operating.CommandLine()); err != nil {
			t.Fatal(err)
		}
		until("the server does not know of the end", func() bool { return r.S.App.Operating.Mode() == nil })
		if res := r.Do("", "GET", "/readyz", nil).Want(http.StatusOK); strings.Contains(string(res.Body), "read-only") {
			t.Errorf("/readyz: %s", res.Body)
		}
		r.Channel("ada", "Moss", "public")
		until("no job ran", func() bool { return len(r.Log("resumed running jobs")) > 0 })
	}, func(c *config.Config) { c.Work = true })
}

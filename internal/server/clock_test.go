package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/backup"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// Two nodes whose clocks are ten minutes apart agree about the present, so one does not take what the other
// just wrote for expired, or for the future.
func TestClocksOfNodesDiffer(t *testing.T) {
	t.Parallel()
	skewed := func(by time.Duration) func(o *server.Options) {
		return func(o *server.Options) {
			o.Now, o.MachineClock = nil, func() time.Time { return time.Now().Add(by) }
		}
	}
	slow := apptest.BootServer(t, storetest.Migrated.Postgres(t), skewed(-5*time.Minute))
	fast := slow.Beside(skewed(5 * time.Minute))
	nodes := []*server.Server{slow.S, fast}
	ctx := t.Context()
	now := func(s *server.Server) time.Time { return s.App.Accounts.Now() }
	if d := now(fast).Sub(now(slow.S)).Abs(); d > 30*time.Second {
		t.Fatalf("their clocks differ by %s", d)
	}
	if len(slow.Log("the clock of this machine differs")) == 0 {
		t.Error("the log does not tell of the difference")
	}

	// A token that is valid for a few minutes is so at each node, whichever issued it.
	for _, s := range nodes {
		secret, token, err := s.App.Accounts.CreateToken(ctx, slow.Person("ada").ID, accounts.TokenInput{Name: "short", Scope: domain.ScopeWrite})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			until time.Time
			want  int
		}{{now(s).Add(4 * time.Minute), http.StatusOK}, {now(s).Add(-time.Minute), http.StatusUnauthorized}} {
			slow.Exec("UPDATE tokens SET expires_at = $1 WHERE id = $2", c.until.UnixMicro(), token.ID)
			for _, at := range nodes {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, apptest.Base+"/v3/me", nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+secret)
				slow.SendTo(at.Handler(), req).Want(c.want)
			}
		}
	}

	// A backup of one node holds files, and the other one does not take it for dead.
	for i, s := range nodes {
		other := nodes[1-i]
		slow.Exec("DELETE FROM backups")
		run, err := backup.Claim(ctx, s.Store, time.Hour, now(s))
		if err != nil || run == "" {
			t.Fatalf("claimed %q, %v", run, err)
		}
		if twice, err := backup.Claim(ctx, other.Store, time.Hour, now(other)); err != nil || twice != "" {
			t.Errorf("the other node started a second backup: %q, %v", twice, err)
		}
		if bad, err := other.Store.Backups().LastFailure(ctx, now(other)); err != nil || bad != nil {
			t.Errorf("the other node takes the backup for dead: %+v, %v", bad, err)
		}
	}
	slow.Exec("DELETE FROM backups")

	// What they write in turn has times in that order.
	channel := slow.Channel("ada", "Moss", "public")
	var times []string
	for i := range 6 {
		body := fmt.Sprintf(`{"value":"text %d","channel_ids":[%d]}`, i, channel)
		res := slow.SendTo(nodes[i%2].Handler(), slow.Request("ada", http.MethodPost, "/v3/blocks", body)).Want(http.StatusCreated)
		times = append(times, res.Str("created_at"))
	}
	if !slices.IsSorted(times) {
		t.Errorf("blocks were created at %v", times)
	}
}

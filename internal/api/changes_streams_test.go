package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/changes"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
)

// reading is a stream in this process. It sends its changes to got, and continues once they are taken.
type reading struct {
	got  chan string
	end  context.CancelFunc
	done chan error
}

// read opens a stream. It returns after the first page.
func read(r *apptest.Rig, actor domain.Actor, client changes.Client) *reading {
	r.T.Helper()
	ctx, cancel := context.WithTimeout(scope.With(r.T.Context(), &scope.Scope{Limits: actor.Limits}), time.Minute) // for tests that fail
	s := &reading{make(chan string), cancel, make(chan error, 1)}
	began := make(chan struct{})
	first := true
	go func() {
		s.done <- r.S.App.Changes.Follow(ctx, actor, changes.Input{}, client, changes.Stream{Send: func(p changes.Page) error {
			if first {
				first = false
				close(began)
			}
			for _, c := range p.Changes {
				select {
				case s.got <- fmt.Sprint(c.Kind, " ", c.Type, " ", c.ID):
				case <-ctx.Done():
				}
			}
			return nil
		}})
	}()
	<-began
	return s
}

// until returns the changes of a stream up to one of them.
func (s *reading) until(last string) (all []string) {
	for {
		select {
		case one := <-s.got:
			if all = append(all, one); one == last {
				return all
			}
		case err := <-s.done:
			return append(all, fmt.Sprint("ended: ", err))
		}
	}
}

// A stream of a token that is limited to a channel shows what is in it, and others everything, whichever comes first.
func TestChangesSharedWithLimits(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		in, out, cellar := r.Channel("ada", "In", "public"), r.Channel("ada", "Out", "public"), r.Channel("ada", "Cellar", "private")
		block := r.Block("ada", "Text", cellar)
		limited := domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeRead, Limits: domain.NewTokenLimits(nil, []domain.ChannelID{domain.ChannelID(in)})}
		title := func(id int64, title string) string {
			r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", id), map[string]any{"title": title}).Want(http.StatusOK)
			return fmt.Sprint("updated Channel ", id)
		}
		for _, first := range []string{"limited", "guest"} {
			awaitChanges(r)
			all := map[string]*reading{"limited": read(r, limited, changes.Client{Name: "limited"}), "guest": read(r, domain.Actor{}, changes.Client{Name: "guest"})}
			end := title(in, first+" 1") // then both have something to send, and the later one waits with it
			late := all["guest"]
			if first == "guest" {
				late = all["limited"]
			}
			all[first].until(end)
			outside := title(out, first+" 2")
			if place := placeOf(r, cellar, block); first == "limited" {
				r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", place), nil).Want(http.StatusNoContent)
				block = r.Block("ada", "Another", cellar)
			}
			title(in, first+" 3")
			early := all[first].until(end)
			late.until(end)
			want := map[string][]string{"limited": {end}, "guest": {outside, end}}
			for name, got := range map[string][]string{first: early, map[string]string{"limited": "guest", "guest": "limited"}[first]: late.until(end)} {
				if !slices.Equal(got, want[name]) {
					t.Errorf("%s first: %s gets %q, want %q", first, name, got, want[name])
				}
			}
			for _, s := range all {
				s.end()
				<-s.done
			}
		}
		f := &reader{r, limited, ""}
		f.read()
		was := f.cursor
		title(out, "Last")
		awaitChanges(r)
		if f.read(); f.cursor == was {
			t.Error("the cursor of a limited token does not move past changes of others")
		}
		awaitChanges(r)
		title(in, "Last")
		awaitChanges(r)
		if n := f.read(); n != 1 {
			t.Errorf("after that come %d changes", n)
		}
	})
}

// reader reads page after page.
type reader struct {
	r      *apptest.Rig
	actor  domain.Actor
	cursor string
}

func (f *reader) read() int {
	f.r.T.Helper()
	p, err := f.r.S.App.Changes.Read(scope.With(f.r.T.Context(), &scope.Scope{Limits: f.actor.Limits}), f.actor, changes.Input{Cursor: f.cursor})
	if err != nil {
		f.r.T.Fatal(err)
	}
	f.cursor = p.Cursor
	return len(p.Changes)
}

// Streams and requests that wait end soon after their token or session, also if nothing changes. An idle server runs two
// statements a second for that, and none if nobody waits.
func TestChangesEndWithAccess(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		awaitChanges(r)
		var mu sync.Mutex
		checks := map[string]int{}
		defer r.Intercept(func(_ context.Context, query string) {
			mu.Lock()
			defer mu.Unlock()
			for _, begin := range []string{"SELECT t.hash, t.limits FROM tokens", "SELECT s.hash FROM sessions"} {
				if strings.HasPrefix(query, begin) {
					checks[begin]++
				}
			}
		})()
		count := func() (n int) {
			mu.Lock()
			defer mu.Unlock()
			for _, some := range checks {
				n += some
			}
			return n
		}
		began := time.Now()
		session := r.Proved(r.Person("bob").ID)
		for _, p := range []string{"ada", "eve", "fay"} {
			r.Person(p)
		}
		expiring, _, err := r.S.App.Accounts.CreateOwnToken(t.Context(), domain.Actor{UserID: r.Person("ada").ID}, accounts.TokenInput{Name: "short", Scope: domain.ScopeRead, Days: 1})
		if err != nil {
			t.Fatal(err)
		}
		token := func(as string) changes.Client {
			return changes.Client{Name: as, Token: auth.HashToken(r.Person(as).Read)}
		}
		awaitChanges(r) // otherwise streams begin with them, and wait until they are taken
		guest := read(r, domain.Actor{}, changes.Client{Name: "guest"})
		stays := read(r, domain.Actor{UserID: r.Person("fay").ID}, token("fay"))
		streams := map[string]*reading{
			"revoked":   read(r, domain.Actor{UserID: r.Person("ada").ID}, token("ada")),
			"expired":   read(r, domain.Actor{UserID: r.Person("ada").ID}, changes.Client{Name: "ada", Token: auth.HashToken(expiring)}),
			"limited":   read(r, domain.Actor{UserID: r.Person("fay").ID, Limits: domain.NewTokenLimits(nil, []domain.ChannelID{7})}, token("fay")), // not any more
			"suspended": read(r, domain.Actor{UserID: r.Person("eve").ID}, token("eve")),
			"session":   read(r, domain.Actor{UserID: r.Person("bob").ID}, changes.Client{Name: "bob", Session: session.Hash}),
		}
		waited := make(chan error, 1)
		cursor := r.Get("eve", "/ext/v1/changes").Str("cursor")
		go func() {
			_, err := r.S.App.Changes.Await(t.Context(), domain.Actor{UserID: r.Person("eve").ID}, changes.Input{Cursor: cursor, Wait: changes.MaxWait}, token("eve"))
			waited <- err
		}()
		addr := r.Listen()
		req := r.Request("ada/read", "GET", "/ext/v1/changes/stream", nil)
		req.URL.Scheme, req.URL.Host, req.RequestURI = "http", addr, ""
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(err, res)
		}
		defer func() { _ = res.Body.Close() }()
		r.Exec("UPDATE tokens SET revoked_at = 1 WHERE hash = $1", auth.HashToken(r.Person("ada").Read))
		r.Exec("UPDATE users SET suspended_at = 1 WHERE id = $1", int64(r.Person("eve").ID))
		r.Exec("DELETE FROM sessions WHERE hash = $1", session.Hash)
		r.Clock.Advance(25 * time.Hour)
		for name, s := range streams {
			if err := <-s.done; domain.KindOf(err) != domain.Unauthenticated && name != "limited" || err == nil {
				t.Errorf("%s: the stream ends with %v", name, err)
			}
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil { // until it ends
			t.Error(err)
		}
		if err := <-waited; domain.KindOf(err) != domain.Unauthenticated {
			t.Errorf("the request ends with %v", err)
		}
		if n, most := count(), 2*int(time.Since(began)/time.Second+2); n > most {
			t.Errorf("%d statements, want at most %d", n, most)
		}
		attic := fmt.Sprint("created Channel ", r.Channel("fay", "Attic", "public"))
		for _, s := range []*reading{guest, stays} {
			if got := s.until(attic); !slices.Equal(got, []string{attic}) {
				t.Errorf("others get %q", got)
			}
		}
		stays.end()
		<-stays.done
		time.Sleep(1100 * time.Millisecond) // for the check that may be running
		was := count()
		time.Sleep(1100 * time.Millisecond)
		if n := count(); n != was {
			t.Errorf("%d statements for guests", n-was)
		}
		guest.end()
		<-guest.done
	})
}

package api_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"vitrine/internal/app/changes"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
)

// reading is a stream in this process. It sends its changes to got, and continues once they are taken.
type reading struct {
	got  chan string
	end  context.CancelFunc
	done chan error
}

// read opens a stream. It returns once the stream has begun.
func read(r *apptest.Rig, actor domain.Actor, name string) *reading {
	r.T.Helper()
	ctx, cancel := context.WithCancel(scope.With(r.T.Context(), &scope.Scope{Limits: actor.Limits}))
	s := &reading{make(chan string), cancel, make(chan error, 1)}
	began := make(chan struct{})
	first := true
	go func() {
		s.done <- r.S.App.Changes.Follow(ctx, actor, changes.Input{}, name, changes.Stream{Send: func(p changes.Page) error {
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
			all := map[string]*reading{"limited": read(r, limited, "limited"), "guest": read(r, domain.Actor{}, "guest")}
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

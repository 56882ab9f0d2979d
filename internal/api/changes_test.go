package api_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/changes"
	"vitrine/internal/apptest"
	"vitrine/internal/database"
)

// follower reads changes for one viewer, nobody for a guest.
type follower struct {
	r      *apptest.Rig
	as     string
	cursor string
}

func followChanges(r *apptest.Rig, as string) *follower {
	r.T.Helper()
	return &follower{r, as, r.Get(as, "/ext/v1/changes").Str("cursor")}
}

// next returns the following changes as short texts: kind, type, id, channel and item.
func (f *follower) next(query string) (all []string) {
	f.r.T.Helper()
	for more := true; more; {
		res := f.r.Get(f.as, "/ext/v1/changes?cursor=%s%s", f.cursor, query)
		for i := range res.Len("data") {
			at := fmt.Sprintf("data.%d.", i)
			text := res.Str(at+"kind") + " " + res.Str(at+"type") + fmt.Sprint(" ", res.Int(at+"id"))
			if res.Get(at+"channel_id") != nil {
				text += fmt.Sprintf(" %d-%s%d", res.Int(at+"channel_id"), res.Str(at+"item.type"), res.Int(at+"item.id"))
			}
			all = append(all, text)
		}
		f.cursor, more = res.Str("cursor"), res.Bool("more")
	}
	return all
}

// want compares the following changes, some of which may not be committed for all servers yet.
func (f *follower) want(what string, want ...string) {
	f.r.T.Helper()
	var got []string
	for len(got) < len(want) {
		some := f.next("&wait=30")
		if got = append(got, some...); len(some) == 0 {
			break
		}
	}
	if got = append(got, f.next("")...); !slices.Equal(got, want) {
		f.r.T.Errorf("%s, %s gets\n%s\nwant\n%s", what, f.as, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// placeOf returns the id of the connection of a block to a channel.
func placeOf(r *apptest.Rig, channel, block int64) int64 {
	r.T.Helper()
	page := r.Get("ada", "/v3/channels/%d/contents", channel)
	i := slices.Index(page.Ints("data", "id"), block)
	if i < 0 {
		r.T.Fatal("the block is not in the channel")
	}
	return page.Int(fmt.Sprintf("data.%d.connection.id", i))
}

func TestChangesFollowWhatIsSeen(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		bob := r.Person("bob").ID
		channel := r.Channel("ada", "Attic", "private")
		block := r.Block("ada", "Moss", channel)
		owner, helper, stranger, guest := followChanges(r, "ada"), followChanges(r, "bob"), followChanges(r, "cy"), followChanges(r, "")
		none := func(what string, all ...*follower) {
			t.Helper()
			owner.next("&wait=30") // everything before is committed, for others too
			for _, f := range all {
				f.want(what)
			}
		}
		address := fmt.Sprint("/v3/channels/", channel)
		turn := func(visibility string) {
			t.Helper()
			r.Do("ada", "PUT", address, map[string]any{"visibility": visibility}).Want(http.StatusOK)
		}
		attic := fmt.Sprint(" Channel ", channel)

		secret := r.Block("ada", "Secret", channel)
		r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", placeOf(r, channel, secret)), nil).Want(http.StatusNoContent)
		none("while it is private", helper, stranger, guest)

		r.Collaborate("ada", channel, "bob")
		helper.want("when he may see it", "created"+attic)
		none("still", stranger, guest)

		turn("public")
		owner.want("opened", "updated"+attic)
		helper.want("opened", "updated"+attic)
		stranger.want("opened", "created"+attic)
		guest.want("opened", "created"+attic)

		r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", block), map[string]any{"title": "Fern"}).Want(http.StatusOK)
		connection := placeOf(r, channel, block)
		r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", connection), nil).Want(http.StatusNoContent)
		gone := fmt.Sprintf("disconnected Connection %d %d-Block%d", connection, channel, block)
		owner.want("disconnected", fmt.Sprint("updated Block ", block), gone)
		for _, f := range []*follower{helper, stranger, guest} {
			f.want("disconnected", gone) // the block is private again
		}

		turn("private")
		helper.want("closed", "updated"+attic)
		stranger.want("closed", "deleted"+attic)
		guest.want("closed", "deleted"+attic)
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/channels/%d/collaborators/User/%d", channel, bob), nil).Want(http.StatusNoContent)
		helper.want("sent away", "deleted"+attic)
		r.Do("ada", "DELETE", address, nil).Want(http.StatusNoContent)
		none("deleted without them", helper, stranger, guest)
	})
}

func TestChangesCursors(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		f := followChanges(r, "ada")
		first := f.cursor
		r.Channel("ada", "Attic", "public")
		f.next("&wait=30")
		status := func(want int, cursor, query string) {
			t.Helper()
			res := r.Do("ada", "GET", "/ext/v1/changes?cursor="+cursor+query, nil).Want(want)
			if want == http.StatusBadRequest && !strings.Contains(string(res.Body), `"cursor`) && !strings.Contains(string(res.Body), `wait`) && !strings.Contains(string(res.Body), "channel") {
				t.Errorf("the error names no field: %s", res.Body)
			}
		}
		status(http.StatusBadRequest, "x", "")
		status(http.StatusBadRequest, first[:len(first)-1], "")
		status(http.StatusBadRequest, first+"A", "")
		status(http.StatusBadRequest, first[:15]+string(first[15]^1)+first[16:], "")
		status(http.StatusBadRequest, strings.Repeat("A", 101), "")
		status(http.StatusBadRequest, first, "&wait=31")
		status(http.StatusBadRequest, first, "&wait=-1")
		status(http.StatusBadRequest, first, "&channel=-1")
		status(http.StatusOK, first, "&channel=999")
		r.Do("ada", "GET", "/ext/v1/changes/stream?cursor=x", nil).Want(http.StatusBadRequest)

		r.Exec("UPDATE change_epoch SET secret = 'another' WHERE id = 1") // as after a restore
		status(http.StatusGone, first, "")
		r.Do("ada", "GET", "/ext/v1/changes/stream", nil, "Last-Event-ID", first).Want(http.StatusGone)

		f = followChanges(r, "ada")
		old := f.cursor
		r.Channel("ada", "Old", "public")
		f.next("&wait=30")
		r.Clock.Advance(changes.Kept + time.Hour)
		r.Channel("ada", "New", "public")
		f.next("&wait=30")
		for range 2 {
			if err := r.S.App.Changes.SweepChanges(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		status(http.StatusGone, old, "")
		status(http.StatusOK, f.cursor, "")
		status(http.StatusOK, followChanges(r, "ada").cursor, "")
	})
}

// A change of a transaction that commits late comes later, and none is lost.
func TestChangesOfLateCommits(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		f := followChanges(r, "ada")
		if r.DB().Dialect().String() == "sqlite" {
			return // one writer at a time
		}
		begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- r.DB().Transact(t.Context(), func(tx *database.Tx) error {
				_, err := tx.Exec(t.Context(), `INSERT INTO changes (kind, type, thing_id, actor_id, fields, audience, created_at)
					VALUES ('updated', 'User', 1, 0, '', '', 0)`)
				close(begun)
				<-end
				return err
			})
		}()
		<-begun
		late := fmt.Sprint("created Channel ", r.Channel("ada", "Attic", "public"))
		for range 3 {
			if got := f.next(""); len(got) > 0 {
				t.Errorf("while an older transaction is in progress: %v", got)
			}
		}
		if lag, err := r.S.App.Changes.Lag(t.Context()); err != nil || lag <= 0 {
			t.Errorf("the lag is %v (%v)", lag, err)
		}
		close(end)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		f.want("then", "updated User 1", late)
	})
}

func TestChangesStream(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		addr := r.Listen()
		open := func(last string) (next func(prefix string) string, end func()) {
			t.Helper()
			req := r.Request("ada", "GET", "/ext/v1/changes/stream", nil)
			req.URL.Scheme, req.URL.Host, req.RequestURI = "http", addr, ""
			if last != "" {
				req.Header.Set("Last-Event-ID", last)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || kind != "text/event-stream" {
				t.Fatalf("%d, %s", res.StatusCode, kind)
			}
			lines := bufio.NewScanner(res.Body)
			return func(prefix string) string {
				t.Helper()
				for lines.Scan() {
					if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok {
						return rest
					}
				}
				return ""
			}, func() { _ = res.Body.Close() }
		}
		next, end := open("")
		next("event: start")
		next("id: ")
		attic := r.Channel("ada", "Attic", "public")
		next("event: change")
		id := next("id: ")
		if data := next("data: "); !strings.Contains(data, fmt.Sprintf(`"id":%d`, attic)) || !strings.Contains(data, `"created"`) {
			t.Errorf("the event contains %s", data)
		}
		end()
		cellar := r.Channel("ada", "Cellar", "private")
		next, end = open(id)
		defer end()
		next("event: change")
		if data := next("data: "); !strings.Contains(data, fmt.Sprintf(`"id":%d`, cellar)) {
			t.Errorf("after the last event comes %s", data)
		}
		stopped := make(chan error, 1)
		go func() { stopped <- r.Stop(context.WithoutCancel(t.Context())) }()
		if rest := next("event: change"); rest != "" {
			t.Errorf("during the shutdown comes %s", rest)
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

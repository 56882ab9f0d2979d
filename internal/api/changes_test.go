package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/changes"
	"vitrine/internal/apptest"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store/access"
)

// follower reads changes for one viewer, nobody for a guest.
type follower struct {
	r      *apptest.Rig
	as     string
	cursor string
}

// followChanges returns a follower of the changes from now on. Until all transactions have ended that were running at the
// last commit, in any database of the server, its change would still be one of them.
func followChanges(r *apptest.Rig, as string) *follower {
	r.T.Helper()
	r.Person(as) // created here at the latest
	awaitChanges(r)
	return &follower{r, as, r.Get(as, "/ext/v1/changes").Str("cursor")}
}

// awaitChanges waits until all committed changes can be read.
func awaitChanges(r *apptest.Rig) {
	r.T.Helper()
	for waits := r.DB().Dialect() != database.SQLite; waits; {
		err := r.DB().View(r.T.Context(), func(q database.Querier) error {
			return q.QueryRow(r.T.Context(), `SELECT EXISTS (SELECT 1 FROM changes WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()))`).Scan(&waits)
		})
		if err != nil {
			r.T.Fatal(err)
		}
	}
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

// want compares the following changes, and waits for those that cannot be read yet.
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
		r.Person("cy")
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
		status(http.StatusBadRequest, strings.Repeat("A", domain.MaxChangesCursor+1), "")
		status(http.StatusBadRequest, first, fmt.Sprint("&wait=", domain.MaxChangesWait+1))
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
		started, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- r.DB().Transact(t.Context(), func(tx *database.Tx) error {
				_, err := tx.Exec(t.Context(), `INSERT INTO changes (kind, type, thing_id, actor_id, fields, audience, created_at)
					VALUES ('updated', 'User', 1, 0, '', '', 0)`)
				close(started)
				<-end
				return err
			})
		}()
		<-started
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
		r.Person("ada")
		awaitChanges(r)
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

// A request that waits gets a change when it is committed.
func TestChangesWait(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		f := followChanges(r, "")
		asked := make(chan struct{})
		once := sync.OnceFunc(func() { close(asked) })
		end := r.Intercept(func(_ context.Context, query string) {
			if strings.Contains(query, "FROM changes c") {
				once()
			}
		})
		defer end()
		got := make(chan []string)
		go func() { got <- f.next("&wait=30") }()
		<-asked // the first page was read, or is being read
		attic := r.Channel("ada", "Attic", "public")
		if all := <-got; !slices.Equal(all, []string{fmt.Sprint("created Channel ", attic)}) {
			t.Errorf("the request gets %v", all)
		}
	})
}

// Channels that disappear with an account are deleted for others, and those that are shown again are created.
func TestChangesOfAccounts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, cy := r.Person("ada").ID, r.Person("cy").ID
		r.Operator("oona")
		attic, cellar := r.Channel("ada", "Attic", "public"), r.Channel("cy", "Cellar", "public")
		f := followChanges(r, "")
		ref := domain.Ref{ID: int64(ada)}
		if _, err := r.S.App.Operating.SuspendAndHide(t.Context(), ref); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		f.want("suspended", fmt.Sprint("deleted Channel ", attic))
		if _, err := r.S.App.Operating.Suspend(t.Context(), ref, false); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		f.want("restored", fmt.Sprint("created Channel ", attic))
		if err := r.S.App.Accounts.DeleteAccount(t.Context(), domain.Actor{UserID: cy, Scope: domain.ScopeWrite}, r.Proved(cy), "cy"); err != nil {
			t.Fatal(err)
		}
		f.want("deleted", fmt.Sprint("deleted Channel ", cellar), fmt.Sprint("deleted User ", cy))
	})
}

// Those who follow one channel, or whose token sees only one, learn what takes it or the comments in it away.
func TestChangesThatEndOneChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		l := newLimits(r)
		cy := r.Person("cy").ID
		group := r.Group("Group", "ada", "cy")
		attic := r.Channel("ada", "Attic", "public")
		f := followChanges(r, "cy")
		limited := l.limited("ada", nil, attic)
		cursor := l.with(limited, "GET", "/ext/v1/changes", nil).Want(200).Str("cursor")
		r.Do("cy", "DELETE", fmt.Sprintf("/v3/groups/%d/members/me", group), nil).Want(204)
		if err := r.S.App.Accounts.DeleteAccount(t.Context(), domain.Actor{UserID: cy, Scope: domain.ScopeWrite}, r.Proved(cy), "cy"); err != nil {
			t.Fatal(err)
		}
		awaitChanges(r)
		want := []string{fmt.Sprint("left Group ", group), fmt.Sprint("deleted User ", cy)}
		var got []string
		seen := l.with(limited, "GET", "/ext/v1/changes?cursor="+cursor, nil).Want(200)
		for i := range seen.Len("data") {
			at := fmt.Sprintf("data.%d.", i)
			got = append(got, fmt.Sprint(seen.Str(at+"kind"), " ", seen.Str(at+"type"), " ", seen.Int(at+"id")))
		}
		if !slices.Equal(got, want) {
			t.Errorf("a limited token gets %q, want %q", got, want)
		}
		f.as = ""
		if got := f.next(fmt.Sprint("&channel=", attic)); !slices.Equal(got, want[1:]) { // as a guest, since the account is deleted
			t.Errorf("who follows the channel gets %q", got)
		}
	})
}

// mirror is a copy that a client rebuilds from changes.
type mirror struct {
	*follower
	channels map[int64]map[string]bool // connected items by channel
	seen     map[string]bool           // cursors
}

// contents reads a channel, nil if the viewer does not see it.
func (m *mirror) contents(channel int64) map[string]bool {
	all := map[string]bool{}
	for page := 1; ; page++ {
		res := m.r.Do(m.as, "GET", fmt.Sprintf("/v3/channels/%d/contents?per=100&page=%d", channel, page), nil)
		if res.Status != http.StatusOK {
			return nil
		}
		for i := range res.Len("data") {
			kind := res.Str(fmt.Sprintf("data.%d.type", i))
			if kind != "Channel" {
				kind = "Block"
			}
			all[fmt.Sprint(kind, res.Int(fmt.Sprintf("data.%d.id", i)))] = true
		}
		if !res.Bool("meta.has_more_pages") {
			return all
		}
	}
}

// read applies a page of changes, and reports whether the last one was among them, which creates a channel named End.
func (m *mirror) read() (ended bool) {
	res := m.r.Get(m.as, "/ext/v1/changes?wait=30&cursor=%s", m.cursor)
	for i := range res.Len("data") {
		at := fmt.Sprintf("data.%d.", i)
		kind, what, id := res.Str(at+"kind"), res.Str(at+"type"), res.Int(at+"id")
		if cursor := res.Str(at + "cursor"); m.seen[cursor] {
			m.r.T.Errorf("%s gets %s %s %d twice", m.as, kind, what, id)
		} else {
			m.seen[cursor] = true
		}
		switch {
		case what == "Channel" && kind == "created":
			if all := m.contents(id); all != nil {
				m.channels[id] = all
				ended = ended || strings.Contains(string(m.r.Do(m.as, "GET", fmt.Sprint("/v3/channels/", id), nil).Body), `"title":"End"`)
			}
			for in, of := range m.channels { // those that contain it
				if all := m.contents(in); in != id && all[fmt.Sprint("Channel", id)] {
					of[fmt.Sprint("Channel", id)] = true
				}
			}
		case what == "Channel" && kind == "deleted":
			delete(m.channels, id)
			for _, of := range m.channels {
				delete(of, fmt.Sprint("Channel", id))
			}
		case what == "Connection":
			of, item := m.channels[res.Int(at+"channel_id")], res.Str(at+"item.type")+fmt.Sprint(res.Int(at+"item.id"))
			if kind == "disconnected" {
				delete(of, item)
			} else if of != nil {
				of[item] = true
			}
		}
	}
	m.cursor = res.Str("cursor")
	return ended
}

// Copies that clients rebuild from changes equal what each of them may see, after many writers at once.
func TestChangesRebuildCopies(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		bob := r.Person("bob").ID
		r.Person("cy")
		var mu sync.Mutex
		var channels []int64
		for i, visibility := range []string{"public", "closed", "private", "private"} {
			channels = append(channels, r.Channel("ada", fmt.Sprint("Channel ", i), visibility))
		}
		var mirrors []*mirror
		for _, as := range []string{"ada", "bob", "cy", ""} {
			m := &mirror{follower: followChanges(r, as), channels: map[int64]map[string]bool{}, seen: map[string]bool{}}
			for _, id := range channels {
				if all := m.contents(id); all != nil {
					m.channels[id] = all
				}
			}
			mirrors = append(mirrors, m)
		}
		var writers sync.WaitGroup
		for w := range 16 {
			writers.Go(func() {
				random := rand.New(rand.NewPCG(uint64(w), 1))
				one := func() int64 {
					mu.Lock()
					defer mu.Unlock()
					return channels[random.IntN(len(channels))]
				}
				var blocks []int64
				for range heavy.Count(4, 10) {
					channel := one()
					address := fmt.Sprint("/v3/channels/", channel)
					switch random.IntN(8) {
					case 0:
						r.Do("ada", "PUT", address, map[string]any{"visibility": []string{"public", "private"}[random.IntN(2)]})
					case 1:
						r.Do("ada", "POST", fmt.Sprintf("/ext/v1/channels/%d/collaborators", channel), map[string]any{"user_id": bob})
					case 2:
						r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/channels/%d/collaborators/User/%d", channel, bob), nil)
					case 3:
						r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_id": one(), "connectable_type": "Channel", "channel_ids": []int64{channel}})
					case 4:
						if len(blocks) > 0 {
							r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", blocks[0]), nil)
							blocks = blocks[1:]
						}
					case 5:
						if res := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": fmt.Sprint("More ", w), "visibility": "private"}); res.Status == http.StatusCreated {
							mu.Lock()
							channels = append(channels, res.Int("id"))
							mu.Unlock()
						}
					case 6:
						if random.IntN(3) == 0 {
							r.Do("ada", "DELETE", address, nil)
						}
					default:
						if res := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "Moss", "channel_ids": []int64{channel}}); res.Status == http.StatusCreated {
							blocks = append(blocks, res.Int("id"))
						}
					}
				}
			})
		}
		var readers sync.WaitGroup
		for _, m := range mirrors {
			readers.Go(func() {
				for !m.read() {
				}
			})
		}
		writers.Wait()
		end := r.Channel("ada", "End", "public")
		readers.Wait()
		for _, m := range mirrors {
			for _, id := range append(channels, end) {
				want, got := m.contents(id), m.channels[id]
				if !maps.Equal(want, got) || (want == nil) != (got == nil) {
					t.Errorf("%q has %v of channel %d, want %v", m.as, slices.Sorted(maps.Keys(got)), id, slices.Sorted(maps.Keys(want)))
				}
			}
		}
	})
}

// Streams of a server share what they read: the outbox once, and what guests see once. Each gets all changes in order.
func TestChangesShared(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		addr := r.Listen()
		private := r.Channel("ada", "Cellar", "private")
		r.Person("bob")
		awaitChanges(r)
		const each = 5
		viewers := []string{"", "ada", "bob"}
		var streams []*bufio.Scanner
		for range each {
			for _, as := range viewers {
				req := r.Request(as, "GET", "/ext/v1/changes/stream", nil)
				req.URL.Scheme, req.URL.Host, req.RequestURI = "http", addr, ""
				res, err := http.DefaultClient.Do(req)
				if err != nil || res.StatusCode != http.StatusOK {
					t.Fatal(err, res)
				}
				defer func() { _ = res.Body.Close() }()
				lines := bufio.NewScanner(res.Body)
				for lines.Scan() && lines.Text() != "event: start" {
				}
				streams = append(streams, lines)
			}
		}
		if n := r.S.App.Changes.Waiting(); n != len(streams) {
			t.Errorf("%d requests wait, want %d", n, len(streams))
		}
		var mu sync.Mutex
		outbox, guests := 0, 0
		end := r.Intercept(func(_ context.Context, query string) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(query, "c.audience, c.created_at") {
				outbox++
			}
			if strings.Contains(query, access.GuestChannel) {
				guests++
			}
		})
		const changed = 10
		for i := range changed {
			r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", private), map[string]any{"title": fmt.Sprint("Cellar ", i)}).Want(http.StatusOK)
			r.Channel("ada", fmt.Sprint("Attic ", i), "public")
		}
		r.Channel("ada", "End", "closed")
		for i, lines := range streams {
			want := changed + 1
			if viewers[i%len(viewers)] == "ada" {
				want += changed
			}
			got, last := 0, int64(0)
			for got < want && lines.Scan() {
				if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
					var c struct{ ID int64 }
					if err := json.Unmarshal([]byte(data), &c); err != nil {
						t.Fatal(err)
					}
					if c.ID == 0 {
						continue // the start
					}
					if c.ID != private && c.ID <= last {
						t.Errorf("stream %d gets channel %d after %d", i, c.ID, last)
					}
					got++
					if c.ID != private {
						last = c.ID
					}
				}
			}
		}
		end()
		// At most one of each per commit, when polls and commits alternate.
		if most := 3 * (2*changed + 1); outbox > most || guests > most {
			t.Errorf("%d statements for the outbox and %d for guests, want at most %d", outbox, guests, most)
		}
	})
}

// The website's stream is for its own pages only.
func TestChangesOfSite(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Do("", "GET", "/feed/changes", nil, "Sec-Fetch-Site", "cross-site").Want(http.StatusForbidden)
		r.Do("", "GET", "/feed/changes", nil, "Sec-Fetch-Site", "same-site").Want(http.StatusForbidden)
		r.Do("", "GET", "/feed/changes?cursor=x", nil).Want(http.StatusBadRequest)
		r.Do("", "GET", "/feed/changes", nil, "Last-Event-ID", "x").Want(http.StatusBadRequest)
		if kind := r.Do("", "HEAD", "/feed/changes", nil, "Sec-Fetch-Site", "same-origin").Want(http.StatusOK).Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("the stream is %q", kind)
		}
	})
}

// A page has a cursor from before it was read, so its stream begins with the changes since then.
func TestChangesSincePage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		stream := func(cursor string) string {
			return string(r.Do("", "GET", "/feed/changes?cursor="+url.QueryEscape(cursor), nil).Want(http.StatusOK).Body)
		}
		page := func() string {
			found := regexp.MustCompile(`<html[^>]* data-changes="([^"]+)"`).FindSubmatch(r.Do("", "GET", "/", nil, "Accept", "text/html").Want(http.StatusOK).Body)
			if found == nil {
				return ""
			}
			return string(found[1])
		}
		attic := r.Channel("ada", "Attic", "public")
		awaitChanges(r)
		if page() != "" {
			t.Error("a page has a cursor before anything was streamed")
		}
		for page() == "" {
			if got := stream(""); !strings.Contains(got, `"missed":true`) || strings.Contains(got, "event: change") {
				t.Fatalf("a stream that starts now sends %s", got)
			}
		}
		read := page()
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", attic), map[string]any{"title": "Loft"}).Want(http.StatusOK)
		awaitChanges(r)
		if got := stream(read); !strings.Contains(got, `"missed":false`) || !strings.Contains(got, fmt.Sprintf(`{"kind":"updated","type":"Channel","id":%d}`, attic)) {
			t.Errorf("the stream of the page sends %s", got)
		}
		columns := "kind, type, thing_id, channel_id, item_type, item_id, actor_id, fields, detail, audience, created_at"
		for range 7 {
			r.Exec("INSERT INTO changes (" + columns + ") SELECT " + columns + " FROM changes")
		}
		awaitChanges(r)
		if got := stream(read); !strings.Contains(got, `"missed":true`) || strings.Contains(got, "event: change") {
			t.Errorf("the stream of an old page sends %s", got)
		}
	})
}

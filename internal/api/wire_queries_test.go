package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// audience is a server with long lists: a channel of n items, half of them channels, some of which are
// private; a block and a channel that are in n channels; and a channel with n collaborators.
type audience struct {
	*apptest.Rig
	paths []string
}

func newAudience(r *apptest.Rig, n int) *audience {
	r.T.Helper()
	t, s, ada := r.T, r.S.Store, r.Person("ada").ID
	var full, team, item domain.ChannelID
	var block domain.BlockID
	storetest.In(t, s, func(tx *store.Tx) (err error) {
		m := maker{t.Context(), tx, ada, fmt.Sprint(" of ", n), &err}
		full, team, item = m.channel("Full", domain.Closed), m.channel("Team", domain.Closed), m.channel("Item", domain.Closed)
		block = m.block()
		for i := range n {
			other := m.channel(fmt.Sprint("Other ", i), []domain.Visibility{domain.Public, domain.Closed, domain.Private}[i%3])
			into := domain.ChannelRef(other)
			if i%2 == 0 {
				into = domain.BlockRef(m.block())
			}
			m.connect(full, into)
			m.connect(other, domain.BlockRef(block))
			m.connect(other, domain.ChannelRef(item))
			m.collaborate(team, fmt.Sprint("User ", i))
		}
		return err
	})
	c := &audience{Rig: r}
	contents := at("/v3/channels/%d/contents?per=100", full)
	for _, sort := range []string{"position", "created_at", "updated_at"} {
		c.paths = append(c.paths, contents+"&sort="+sort+"_asc", contents+"&sort="+sort+"_desc")
	}
	c.paths = append(c.paths, contents+at("&user_id=%d", ada), at("/v3/channels/%d/connections?per=100", item),
		at("/v3/blocks/%d/connections?per=100", block), at("/v3/blocks/%d/connections?per=100&filter=OWN", block),
		at("/v3/channels/%d", team), at("/ext/v1/channels/%d/collaborators", team),
		at("/ext/v1/lists/channels/%d/contents?limit=100&expand=user,owner,channels,contents", full),
		at("/ext/v1/lists/blocks/%d/connections?limit=100&expand=owner,channels,contents", block),
		at("/ext/v1/lists/search?channel_id=%d&limit=100&expand=user,owner,channels,contents", full))
	return c
}

// maker creates things in one transaction until the first error.
type maker struct {
	ctx    context.Context
	tx     *store.Tx
	ada    domain.UserID
	suffix string
	err    *error
}

func (m maker) channel(title string, v domain.Visibility) (id domain.ChannelID) {
	m.do(func() error {
		slug, err := m.tx.Slugs().SlugFor(m.ctx, store.ChannelSlug, title+m.suffix, storetest.Now)
		if err != nil {
			return err
		}
		id, err = m.tx.Channels().CreateChannel(m.ctx, store.NewChannel{Slug: slug, Title: title, Visibility: v,
			Owner: domain.UserRef(m.ada), UserID: m.ada, Now: storetest.Now})
		return err
	})
	return id
}

func (m maker) block() (id domain.BlockID) {
	m.do(func() (err error) {
		id, err = storetest.NewBlock(m.ctx, m.tx, m.ada, "Text")
		return err
	})
	return id
}

func (m maker) connect(channel domain.ChannelID, item domain.ItemRef) {
	m.do(func() error {
		_, err := storetest.ConnectIn(m.ctx, m.tx, m.ada, channel, item, 0)
		return err
	})
}

func (m maker) collaborate(channel domain.ChannelID, name string) {
	m.do(func() error {
		slug, err := m.tx.Slugs().SlugFor(m.ctx, store.UserSlug, name+m.suffix, storetest.Now)
		if err != nil {
			return err
		}
		id, err := m.tx.Users().CreateUser(m.ctx, store.NewUser{Slug: slug, Name: name, Email: slug + "@example.org",
			Tier: domain.TierFree, Now: storetest.Now})
		if err != nil {
			return err
		}
		if err := m.tx.Slugs().BindSlug(m.ctx, store.UserSlug, slug, int64(id)); err != nil {
			return err
		}
		_, err = m.tx.Membership().AddCollaborator(m.ctx, channel, domain.UserRef(id), storetest.Now)
		return err
	})
}

func (m maker) do(step func() error) {
	if *m.err == nil {
		*m.err = step()
	}
}

// The number of statements does not grow with the length of a list.
func TestStatementsDoNotGrow(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		sizes := []int{6, 10, 100} // 6 items include one of every kind
		var crowds []*audience
		for _, n := range sizes {
			crowds = append(crowds, newAudience(r, n))
		}
		for _, who := range []string{"", "ada"} {
			for i, path := range crowds[0].paths {
				few := r.Statements(func() { r.Do(who, "GET", path, nil).Want(http.StatusOK) })
				for j, c := range crowds {
					var items int
					many := r.Statements(func() {
						res := r.Do(who, "GET", c.paths[i], nil).Want(http.StatusOK)
						if items = 0; strings.Contains(path, "?") || strings.Contains(path, "/ext/") {
							items = res.Len("data")
						}
					})
					if who == "ada" && items != 0 && items != sizes[j] {
						t.Errorf("%s gives %d items, want %d", c.paths[i], items, sizes[j])
					}
					if len(many) > len(few) || len(many) == 0 {
						t.Errorf("%q: %s runs %d statements, with %d items %d:\n%s", who, path, len(few), sizes[j], len(many),
							strings.Join(many, "\n"))
					}
				}
			}
		}
	})
}

// The most frequent requests are cheap: the maximum number of statements of each.
func TestStatementsOfSingleReads(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Do("ada", "POST", at("/ext/v1/channels/%d/collaborators", w.open), at(`{"user_id":%d}`, w.Person("bob").ID)).
			Want(http.StatusCreated)
		for path, limit := range map[string]int{
			"/v3/ping": 0, "/v3/openapi": 0, "/v3/openapi.json": 0, "/ext/v1/openapi.json": 0, "/v3/nothing": 0,
			"/v3/users/ada": 1, at("/v3/users/%d", w.Person("ada").ID): 1,
			at("/v3/blocks/%d", w.block): 1, at("/v3/channels/%d", w.closed): 1, "/v3/channels/closed": 1,
			at("/v3/channels/%d", w.open):          2, // with its collaborators
			at("/v3/connections/%d", w.connection): 3, at("/v3/connections/%d", w.channelConnection): 4,
			"/v3/channels/closed/contents": 3, at("/v3/channels/%d/contents", w.open): 4,
			at("/v3/blocks/%d/connections", w.block): 3, "/v3/me": 1,
		} {
			for who, token := range map[string]int{"": 0, "ada": 1} { // a token takes one more
				if path == "/v3/me" && who == "" {
					continue
				}
				w.cheap(t, who, path, limit+token)
				if tag := w.Do(who, "GET", path, nil).Header.Get("ETag"); tag != "" {
					w.cheap(t, who, path, limit+token, "If-None-Match", tag)
				}
			}
		}
	})
}

func (w *world) cheap(t *testing.T, who, path string, limit int, headers ...string) {
	t.Helper()
	seen := w.Statements(func() { w.Do(who, "GET", path, nil, headers...) })
	if len(seen) > limit {
		t.Errorf("%s of %q: %d statements, want at most %d:\n%s", path, who, len(seen), limit, strings.Join(seen, "\n"))
	}
}

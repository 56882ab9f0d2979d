package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// crowd is a server with lists of some length: a channel of n items, half of them
// channels of which some are private, a block and a channel in n channels, and a
// channel with n collaborators.
type crowd struct {
	*apptest.Rig
	paths []string
}

func newCrowd(r *apptest.Rig, n int) *crowd {
	r.T.Helper()
	t, s, ada := r.T, r.S.Store, r.Person("ada").ID
	full := storetest.Channel(t, s, ada, fmt.Sprint("Full ", n), domain.Closed)
	team := storetest.Channel(t, s, ada, fmt.Sprint("Team ", n), domain.Closed)
	item := storetest.Channel(t, s, ada, fmt.Sprint("Item ", n), domain.Closed)
	block := storetest.Block(t, s, ada, "Everywhere")
	for i := range n {
		v := []domain.Visibility{domain.Public, domain.Closed, domain.Private}[i%3]
		other := storetest.Channel(t, s, ada, fmt.Sprint("Other ", n, " ", i), v)
		member := storetest.User(t, s, fmt.Sprint("User ", n, " ", i))
		storetest.In(t, s, func(tx *store.Tx) error {
			into := domain.ChannelRef(other)
			if i%2 == 0 {
				id, err := storetest.NewBlock(t.Context(), tx, member, "Text")
				if err != nil {
					return err
				}
				into = domain.BlockRef(id)
			}
			for _, c := range []struct {
				channel domain.ChannelID
				item    domain.ItemRef
			}{{full, into}, {other, domain.BlockRef(block)}, {other, domain.ChannelRef(item)}} {
				if _, err := storetest.ConnectIn(t.Context(), tx, ada, c.channel, c.item, 0); err != nil {
					return err
				}
			}
			_, err := tx.AddCollaborator(t.Context(), team, domain.UserRef(member), storetest.Now)
			return err
		})
	}
	c := &crowd{Rig: r}
	contents := at("/v3/channels/%d/contents?per=100", full)
	for _, sort := range []string{"position", "created_at", "updated_at"} {
		c.paths = append(c.paths, contents+"&sort="+sort+"_asc", contents+"&sort="+sort+"_desc")
	}
	c.paths = append(c.paths, contents+at("&user_id=%d", ada), at("/v3/channels/%d/connections?per=100", item),
		at("/v3/blocks/%d/connections?per=100", block), at("/v3/blocks/%d/connections?per=100&filter=OWN", block),
		at("/v3/channels/%d", team), at("/ext/v1/channels/%d/collaborators", team))
	return c
}

// The number of statements does not grow with the length of a list.
func TestStatementsDoNotGrow(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		sizes := []int{6, 10, 100} // 6 has one of every kind
		var crowds []*crowd
		for _, n := range sizes {
			crowds = append(crowds, newCrowd(r, n))
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

// What is asked most is cheap: the most statements each may run.
func TestStatementsOfSingleReads(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Do("ada", "POST", at("/ext/v1/channels/%d/collaborators", w.open), at(`{"user_id":%d}`, w.Person("bob").ID)).
			Want(http.StatusCreated)
		for path, most := range map[string]int{
			"/v3/ping": 0, "/v3/openapi": 0, "/v3/openapi.json": 0, "/ext/v1/openapi.json": 0, "/v3/nothing": 0,
			"/v3/users/ada": 1, at("/v3/users/%d", w.Person("ada").ID): 1,
			at("/v3/blocks/%d", w.block): 1, at("/v3/channels/%d", w.closed): 1, "/v3/channels/closed": 1,
			at("/v3/channels/%d", w.open):          2, // and its collaborators
			at("/v3/connections/%d", w.connection): 3, at("/v3/connections/%d", w.channelConnection): 4,
			"/v3/channels/closed/contents": 3, at("/v3/channels/%d/contents", w.open): 4,
			at("/v3/blocks/%d/connections", w.block): 3, "/v3/me": 1,
		} {
			for who, token := range map[string]int{"": 0, "ada": 1} { // a token is one more
				if path == "/v3/me" && who == "" {
					continue
				}
				w.cheap(t, who, path, most+token)
				if tag := w.Do(who, "GET", path, nil).Header.Get("ETag"); tag != "" {
					w.cheap(t, who, path, most+token, "If-None-Match", tag)
				}
			}
		}
	})
}

func (w *world) cheap(t *testing.T, who, path string, most int, headers ...string) {
	t.Helper()
	seen := w.Statements(func() { w.Do(who, "GET", path, nil, headers...) })
	if len(seen) > most {
		t.Errorf("%s of %q: %d statements, want at most %d:\n%s", path, who, len(seen), most, strings.Join(seen, "\n"))
	}
}

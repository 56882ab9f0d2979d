package api_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// While a slow client reads a large page, another large one gets 503, and small ones are served. After the client has
// gone, the page is served again, with its length and its tag.
func TestResponsesInMemory(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := r.Person("ada").ID
		channel := storetest.Channel(t, r.S.Store, ada, "Long", domain.Closed)
		text := strings.Repeat("many words ", 18_000)
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			for range 60 {
				id, err := storetest.NewBlock(t.Context(), tx, ada, text)
				if err != nil {
					return err
				}
				if _, err := storetest.ConnectIn(t.Context(), tx, ada, channel, domain.BlockRef(id), 0); err != nil {
					return err
				}
			}
			return nil
		})
		const page = "/v3/channels/long/contents?per=100"
		addr := r.Listen()
		unread := r.Dial(addr)
		unread.Head("", "GET", page)
		if _, err := unread.In.Peek(1); err != nil {
			t.Fatal(err)
		}
		for _, who := range []string{"", "ada"} {
			w := &world{Rig: r}
			w.away(t, "a second page", r.Do(who, "GET", page, nil))
			r.Do(who, "GET", "/v3/channels/long", nil).Want(http.StatusOK)
			r.Do(who, "GET", "/v3/channels/long/contents?per=1", nil).Want(http.StatusOK)
			r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": text, "channel_ids": []any{channel}}).Want(http.StatusCreated)
		}
		_ = unread.Close()
		res := r.Do("", "GET", page, nil)
		for res.Status == http.StatusServiceUnavailable && t.Context().Err() == nil {
			res = r.Do("", "GET", page, nil)
		}
		if res.Want(http.StatusOK); res.Header.Get("ETag") == "" || res.Len("data") != 62 {
			t.Errorf("%v, %d blocks", res.Header, res.Len("data"))
		}
		r.Do("", "GET", page, nil, "If-None-Match", res.Header.Get("ETag")).Want(http.StatusNotModified)
	}, func(c *config.Config) { c.ResponseMemory = 4 << 20 })
}

package feeds

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
)

// maxEntries is the number of entries of a feed, the newest ones.
const maxEntries = 50

// feed is a feed in either format.
type feed struct {
	id       string
	title    string
	subtitle string // plain text; "" for none
	page     string // URL of its page
	address  func(present.FeedFormat) string
	icon     string // "" for none
	authors  []person
	updated  time.Time
	entries  []entry
}

// entry is an entry of a feed.
type entry struct {
	id, title, page    string
	external           string // target of a link; "" for none
	html               string
	image              string // "" for none
	author             person
	by                 *person // who connected it, if not the author
	published, updated time.Time
	attachment         *attachment
}

type person struct{ name, page, avatar string }

type attachment struct {
	address, contentType, name string
	size                       int64
}

// source reads a feed as an actor sees it.
type source func(ctx context.Context, actor domain.Actor) (feed, error)

// open returns the handler of a feed as guests see it.
func (h *Handler) open(f present.FeedFormat, read source) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		found, err := read(r.Context(), domain.Actor{})
		if err != nil {
			return err
		}
		if to := found.address(f); h.o.Addresses.Site+r.URL.EscapedPath() != to {
			w.Header().Set("Cache-Control", "public, max-age=300")
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return nil
		}
		return found.write(w, r, f)
	}
}

// write writes the feed. If the client sends no ETag, only the date decides whether it is up to
// date.
func (x feed) write(w http.ResponseWriter, r *http.Request, f present.FeedFormat) error {
	h := w.Header()
	h.Set("X-Robots-Tag", "noindex") // search engines should find the pages instead
	changed := x.updated.UTC().Truncate(time.Second)
	h.Set("Last-Modified", changed.Format(http.TimeFormat))
	if r.Header.Get("If-None-Match") == "" {
		if since, err := http.ParseTime(r.Header.Get("If-Modified-Since")); err == nil && !changed.After(since) {
			middleware.WriteNotModified(w, r)
			return nil
		}
	}
	var body bytes.Buffer
	encode := x.json
	if f == present.Atom {
		encode = x.atom
	}
	if err := encode(&body); err != nil {
		return err
	}
	h.Set("Content-Type", f.ContentType()+"; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // fails only if the client is gone
	return nil
}

// finish sets the feed's modification date: the latest of its page and its entries.
func (x *feed) finish(page time.Time) {
	x.updated = page
	for i := range x.entries {
		e := &x.entries[i]
		if e.updated.Before(e.published) {
			e.updated = e.published
		}
		x.updated = latest(x.updated, e.updated)
	}
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

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

// maxEntries is how many entries a feed has, the newest.
const maxEntries = 50

// feed is what both formats say.
type feed struct {
	id       string
	title    string
	subtitle string // plain text, "" for none
	page     string // its page
	address  func(present.FeedFormat) string
	icon     string // "" for none
	authors  []person
	updated  time.Time
	entries  []entry
}

// entry is a thing as a feed shows it.
type entry struct {
	id, title, page    string
	external           string // what a link leads to, "" for none
	html               string
	image              string // "" for none
	author             person
	by                 *person // who connected it, where that is somebody else
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

// open answers with what guests see.
func (d *Door) open(f present.FeedFormat, read source) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		found, err := read(r.Context(), domain.Actor{})
		if err != nil {
			return err
		}
		if to := found.address(f); d.o.Addresses.Site+r.URL.EscapedPath() != to {
			w.Header().Set("Cache-Control", "public, max-age=300")
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return nil
		}
		return found.write(w, r, f)
	}
}

// write answers with a feed. Without a tag to compare, the date alone says whether a client
// has it.
func (x feed) write(w http.ResponseWriter, r *http.Request, f present.FeedFormat) error {
	h := w.Header()
	h.Set("X-Robots-Tag", "noindex") // the pages are what is to be found
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
	_, _ = w.Write(body.Bytes()) // the client has gone; nothing to do
	return nil
}

// finish sets when the feed was last changed: not before the page it is of, nor any entry.
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

package feeds

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/weburl"
)

// shown is how other sites show a page of this one (oEmbed 1.0).
type shown struct {
	XMLName         xml.Name `json:"-" xml:"oembed"`
	Version         string   `json:"version" xml:"version"`
	Type            string   `json:"type" xml:"type"` // photo, rich or link
	Title           string   `json:"title,omitempty" xml:"title,omitempty"`
	AuthorName      string   `json:"author_name,omitempty" xml:"author_name,omitempty"`
	AuthorURL       string   `json:"author_url,omitempty" xml:"author_url,omitempty"`
	ProviderName    string   `json:"provider_name" xml:"provider_name"`
	ProviderURL     string   `json:"provider_url" xml:"provider_url"`
	CacheAge        int64    `json:"cache_age" xml:"cache_age"` // seconds
	ThumbnailURL    string   `json:"thumbnail_url,omitempty" xml:"thumbnail_url,omitempty"`
	ThumbnailWidth  int64    `json:"thumbnail_width,omitempty" xml:"thumbnail_width,omitempty"`
	ThumbnailHeight int64    `json:"thumbnail_height,omitempty" xml:"thumbnail_height,omitempty"`
	URL             string   `json:"url,omitempty" xml:"url,omitempty"` // of a photo
	HTML            string   `json:"html,omitempty" xml:"html,omitempty"`
	Width           int64    `json:"width,omitempty" xml:"width,omitempty"`
	Height          int64    `json:"height,omitempty" xml:"height,omitempty"`
}

// Size of the frame of a channel where the one who asks sets no bounds.
const (
	frameWidth  = 800
	frameHeight = 600
)

// maxAddress bounds the address that oEmbed is asked about, in bytes.
const maxAddress = 2_048

const errFormat = "This format is not known: ask for json or xml"

// oembed answers how to show a page, for the sites on which somebody has put a link to it.
func (d *Door) oembed(w http.ResponseWriter, r *http.Request) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return domain.Wrap(domain.Invalid, "The address cannot be read", err)
	}
	format := q.Get("format")
	if format != "" && format != "json" && format != "xml" {
		d.errs.Render(w, r, http.StatusNotImplemented, errFormat)
		return nil
	}
	width, err := bound(q, "maxwidth")
	if err != nil {
		return err
	}
	height, err := bound(q, "maxheight")
	if err != nil {
		return err
	}
	path, ok := d.pagePath(q.Get("url"))
	if !ok {
		return domain.NewNotFound()
	}
	s, err := d.show(r.Context(), path, width, height)
	if err != nil {
		return err
	}
	site, err := d.o.App.SiteSettings(r.Context())
	if err != nil {
		return err
	}
	s.ProviderName = site.Name
	var body bytes.Buffer
	if format == "xml" {
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		body.WriteString(xml.Header)
		err = xml.NewEncoder(&body).Encode(s)
	} else {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		err = json.NewEncoder(&body).Encode(s)
	}
	if err != nil {
		return err
	}
	_, _ = w.Write(body.Bytes()) // the client has gone; nothing to do
	return nil
}

// unbounded is more than anything that is shown.
const unbounded = 1 << 30

// bound reads a bound of the size.
func bound(q url.Values, name string) (int64, error) {
	if !q.Has(name) {
		return unbounded, nil
	}
	n, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil || n < 1 {
		return 0, domain.InvalidField(name, domain.FieldMalformed, "must be a whole number of pixels, 1 or more")
	}
	return min(n, unbounded), nil
}

// pagePath gives the segments of a page's path, if the address is one of this site.
func (d *Door) pagePath(address string) (segments []string, ok bool) {
	if address == "" || len(address) > maxAddress {
		return nil, false
	}
	at, err := weburl.Parse(address)
	site, failed := weburl.Parse(d.o.Addresses.Site)
	if err != nil || failed != nil || at.User != nil || at.Host != site.Host {
		return nil, false
	}
	path, ok := strings.CutPrefix(at.Path, d.root+"/")
	return strings.Split(strings.TrimSuffix(path, "/"), "/"), ok
}

// show says how a page is shown within bounds.
func (d *Door) show(ctx context.Context, path []string, width, height int64) (s shown, err error) {
	switch {
	case len(path) == 2 && path[0] == "block":
		id, _, ok := domain.IsID(path[1])
		if !ok {
			return s, domain.NewNotFound()
		}
		b, err := d.o.App.Block(ctx, domain.Actor{}, domain.BlockID(id))
		if err != nil {
			return s, err
		}
		return d.showBlock(d.o.Addresses.Block(&b), width, height), nil
	case len(path) == 2 && path[0] == "group":
		g, err := d.o.App.Group(ctx, domain.Actor{}, domain.ParseRef(path[1]))
		if err != nil {
			return s, err
		}
		return d.link(g.Name, person{}, d.o.Addresses.Group(&g).Card(), width, height), nil
	case len(path) == 0 || domain.ReservedSlug(path[0]):
		return s, domain.NewNotFound()
	case len(path) == 1:
		u, err := d.o.App.User(ctx, domain.ParseRef(path[0]))
		if err != nil {
			return s, err
		}
		return d.link(u.Name, person{}, d.o.Addresses.User(&u).Card(), width, height), nil
	case len(path) == 2, len(path) == 3 && path[2] == "embed":
		full, err := d.o.App.Channel(ctx, domain.Actor{}, domain.ParseRef(path[1]))
		if err != nil {
			return s, err
		}
		return d.showChannel(d.o.Addresses.Channel(&full.Channel), width, height), nil
	}
	return s, domain.NewNotFound()
}

// link shows a page by its name and its card, which is left out where it is too large.
func (d *Door) link(title string, by person, card present.Card, width, height int64) shown {
	s := shown{Version: "1.0", Type: "link", Title: title, AuthorName: by.name, AuthorURL: by.page,
		ProviderURL: d.o.Addresses.Site + "/", CacheAge: 300}
	if card.Width > 0 && card.Width <= width && card.Height <= height {
		s.ThumbnailURL, s.ThumbnailWidth, s.ThumbnailHeight = card.URL, card.Width, card.Height
	}
	return s
}

// showBlock shows an image as a photo, in the largest size within the bounds, and all else
// as a link.
func (d *Door) showBlock(b present.Block, width, height int64) shown {
	s := d.link(b.Heading(), personOf(b.Author()), b.Card(), width, height)
	if b.Type != domain.ImageBlock || !b.HasImage() {
		return s
	}
	image := b.Image()
	for _, v := range []present.Version{image.Large(), image.Medium(), image.Small()} {
		if v.Width > 0 && v.Width <= width && v.Height <= height {
			s.Type, s.URL, s.Width, s.Height = "photo", v.Src, v.Width, v.Height
			break
		}
	}
	return s
}

// frame is the frame of a channel.
var frame = template.Must(template.New("").Parse(
	`<iframe src="{{.Src}}" title="{{.Title}}" width="{{.Width}}" height="{{.Height}}" style="border:0" loading="lazy"></iframe>`))

// showChannel shows a channel in a frame.
func (d *Door) showChannel(c present.Channel, width, height int64) shown {
	s := d.link(c.Title, personOf(c.Owner()), c.Card(), width, height)
	s.Type, s.Width, s.Height = "rich", min(frameWidth, width), min(frameHeight, height)
	var html strings.Builder
	if err := frame.Execute(&html, map[string]any{"Src": c.EmbedURL(), "Title": c.Title, "Width": s.Width, "Height": s.Height}); err == nil {
		s.HTML = html.String()
	}
	return s
}

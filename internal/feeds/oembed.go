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

// shown is an oEmbed 1.0 response.
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

// Default size of a channel's frame.
const (
	frameWidth  = 800
	frameHeight = 600
)

// maxAddress limits the URL in an oEmbed request, in bytes.
const maxAddress = 2_048

const errFormat = "This format is not known: ask for json or xml"

// oembed serves oEmbed to sites that embed a link to a page.
func (h *Handler) oembed(w http.ResponseWriter, r *http.Request) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return domain.Wrap(domain.Invalid, "The address cannot be read", err)
	}
	format := q.Get("format")
	if format != "" && format != "json" && format != "xml" {
		h.errs.Render(w, r, http.StatusNotImplemented, errFormat)
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
	path, ok := h.pagePath(q.Get("url"))
	if !ok {
		return domain.NewNotFound()
	}
	s, err := h.show(r.Context(), path, width, height)
	if err != nil {
		return err
	}
	site, err := h.o.App.Operating.SiteSettings(r.Context())
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
	_, _ = w.Write(body.Bytes()) // fails only if the client is gone
	return nil
}

// unbounded is larger than any image.
const unbounded = 1 << 30

// bound parses maxwidth or maxheight.
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

// pagePath returns the segments of a page's path if the URL belongs to this site.
func (h *Handler) pagePath(address string) (segments []string, ok bool) {
	if address == "" || len(address) > maxAddress {
		return nil, false
	}
	at, err := weburl.Parse(address)
	site, failed := weburl.Parse(h.o.Addresses.Site)
	if err != nil || failed != nil || at.User != nil || at.Host != site.Host {
		return nil, false
	}
	path, ok := strings.CutPrefix(at.Path, h.root+"/")
	return strings.Split(strings.TrimSuffix(path, "/"), "/"), ok
}

// show returns the oEmbed response for a page within the given size.
func (h *Handler) show(ctx context.Context, path []string, width, height int64) (s shown, err error) {
	switch {
	case len(path) == 2 && path[0] == "block":
		id, _, ok := domain.IsID(path[1])
		if !ok {
			return s, domain.NewNotFound()
		}
		b, err := h.o.App.Collections.Block(ctx, domain.Actor{}, domain.BlockID(id))
		if err != nil {
			return s, err
		}
		return h.showBlock(h.o.Addresses.Block(&b), width, height), nil
	case len(path) == 2 && path[0] == "group":
		g, err := h.o.App.People.Group(ctx, domain.Actor{}, domain.ParseRef(path[1]))
		if err != nil {
			return s, err
		}
		return h.link(g.Name, person{}, h.o.Addresses.Group(&g).Card(), width, height), nil
	case len(path) == 0 || domain.ReservedSlug(path[0]):
		return s, domain.NewNotFound()
	case len(path) == 1:
		u, err := h.o.App.People.User(ctx, domain.ParseRef(path[0]))
		if err != nil {
			return s, err
		}
		return h.link(u.Name, person{}, h.o.Addresses.User(&u).Card(), width, height), nil
	case len(path) == 2, len(path) == 3 && path[2] == "embed":
		full, err := h.o.App.Collections.Channel(ctx, domain.Actor{}, domain.ParseRef(path[1]))
		if err != nil {
			return s, err
		}
		return h.showChannel(h.o.Addresses.Channel(&full.Channel), width, height), nil
	}
	return s, domain.NewNotFound()
}

// link returns a page's title and its card, unless the card is too large.
func (h *Handler) link(title string, by person, card present.Card, width, height int64) shown {
	s := shown{Version: "1.0", Type: "link", Title: title, AuthorName: by.name, AuthorURL: by.page,
		ProviderURL: h.o.Addresses.Site + "/", CacheAge: 300}
	if card.Width > 0 && card.Width <= width && card.Height <= height {
		s.ThumbnailURL, s.ThumbnailWidth, s.ThumbnailHeight = card.URL, card.Width, card.Height
	}
	return s
}

// showBlock returns an image block as a photo in the largest size that fits, and other blocks as
// links.
func (h *Handler) showBlock(b present.Block, width, height int64) shown {
	s := h.link(b.Heading(), personOf(b.Author()), b.Card(), width, height)
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

// frame is the HTML of a channel's frame.
var frame = template.Must(template.New("").Parse(
	`<iframe src="{{.Src}}" title="{{.Title}}" width="{{.Width}}" height="{{.Height}}" style="border:0" loading="lazy"></iframe>`))

// showChannel returns a channel as a frame.
func (h *Handler) showChannel(c present.Channel, width, height int64) shown {
	s := h.link(c.Title, personOf(c.Owner()), c.Card(), width, height)
	s.Type, s.Width, s.Height = "rich", min(frameWidth, width), min(frameHeight, height)
	var html strings.Builder
	if err := frame.Execute(&html, map[string]any{"Src": c.EmbedURL(), "Title": c.Title, "Width": s.Width, "Height": s.Height}); err == nil {
		s.HTML = html.String()
	}
	return s
}

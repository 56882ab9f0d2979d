package feeds

import (
	"context"
	"html/template"
	"io"
	"net/http"
	"path"
	"strings"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
)

// secretPrefix is the prefix of the paths of secret feeds. This package handles all paths below it,
// so that no secret is logged.
const secretPrefix = "/feeds/"

// secretFeed returns the handler of a path below secretPrefix, or nil. The first segment is the
// user's ID and secret; the rest names a feed.
func (h *Handler) secretFeed(segments []string) answer {
	number, secret, ok := strings.Cut(segments[0], "-")
	id, _, valid := domain.IsID(number)
	if !ok || !valid || len(segments) < 2 {
		return nil
	}
	last := segments[len(segments)-1]
	name, ending, _ := strings.Cut(last, ".")
	if form := exporting.Format(ending); len(segments) == 3 && (form == exporting.OPDS || form == exporting.EPUB) {
		return h.secretExport(domain.UserID(id), secret, name, form)
	}
	f := present.FeedFormat(ending)
	if f != present.Atom && f != present.JSONFeed {
		return nil
	}
	var read source
	switch {
	case len(segments) == 2 && name == "feed":
		read = h.homeFeed
	case len(segments) == 2:
		read = h.userFeed(name)
	case len(segments) == 3 && segments[1] == "search":
		id, _, valid := domain.IsID(name)
		if !valid {
			return nil
		}
		read = h.savedSearchFeed(domain.SavedSearchID(id))
	case len(segments) == 3 && segments[1] == "settings":
		if name != "highlights" {
			return nil
		}
		read = h.highlightsFeed
	case len(segments) == 3 && segments[1] == "group":
		read = h.groupFeed(name)
	case len(segments) == 3:
		read = h.channelFeed(name)
	default:
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("X-Robots-Tag", "noindex")
		actor, err := h.o.App.People.FeedReader(r.Context(), domain.UserID(id), secret)
		if err != nil {
			return err
		}
		middleware.From(r.Context()).UserID = int64(actor.UserID)
		found, err := read(r.Context(), actor)
		if err != nil {
			return err
		}
		found.address = nil // the feed itself must not contain its secret URL
		w.Header().Set("Cache-Control", "private, no-cache")
		return found.write(w, r, f)
	}
}

// secretExport returns the handler of a channel as a catalogue or book for e-readers, which send no
// tokens. The links in the catalogue use the same secret.
func (h *Handler) secretExport(user domain.UserID, secret, name string, form exporting.Format) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		actor, err := h.o.App.People.FeedReader(r.Context(), user, secret)
		if err != nil {
			return err
		}
		middleware.From(r.Context()).UserID = int64(actor.UserID)
		w.Header().Set("Cache-Control", "private, no-store")
		at := h.o.Addresses.SecretFeeds(user, secret)
		return httpedge.Stream(r.Context(), w, func(begin func(filename, contentType string) io.Writer) error {
			return h.o.Exports.Channel(r.Context(), actor, domain.ParseRef(name), form,
				func(c *domain.Channel, f exporting.Format) string { return at.Export(c, string(f)) }, begin)
		})
	}
}

// Downloads reports whether a request is for a book or a catalogue, which are generated while they
// are sent.
func (h *Handler) Downloads(r *http.Request) bool {
	ending := exporting.Format(strings.TrimPrefix(path.Ext(r.URL.Path), "."))
	return strings.HasPrefix(r.URL.Path, secretPrefix) && (ending == exporting.OPDS || ending == exporting.EPUB)
}

// homeFeed reads the actor's feed of followed users, channels and groups.
func (h *Handler) homeFeed(ctx context.Context, actor domain.Actor) (x feed, err error) {
	me, err := h.o.App.People.User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil {
		return x, err
	}
	stories, err := h.o.App.People.Feed(ctx, actor, people.CursorInput{Limit: maxEntries})
	if err != nil {
		return x, err
	}
	site, err := h.o.App.Operating.SiteSettings(ctx)
	if err != nil {
		return x, err
	}
	x = feed{id: h.tag(me.CreatedAt, "feed", int64(me.ID)), title: site.Name + " · " + me.Name, page: h.o.Addresses.Site + "/feed"}
	for i := range stories.Items {
		x.entries = append(x.entries, h.story(h.o.Addresses.Activity(&stories.Items[i])))
	}
	x.finish(me.CreatedAt)
	return x, nil
}

// story returns the entry of an activity.
func (h *Handler) story(a present.Activity) entry {
	e, ok := h.entity(a.Story.Item)
	shown := a.Item()
	if c := a.Story.Item.Comment; !ok && c != nil {
		body, cut := fullContent(&c.Body)
		e.html = string(body) + template.HTMLEscapeString(cut)
		shown = a.Target()
	}
	actor := personOf(a.Actor())
	e.id, e.author, e.by = h.tag(a.CreatedAt, "activity", int64(a.ID)), actor, nil
	e.published, e.updated = a.CreatedAt, latest(a.CreatedAt, e.updated)
	e.title = strings.Join(strings.Fields(actor.name+" "+a.Action()+" "+shown.Heading()), " ")
	if between := a.Connector(); between != "" {
		e.title += " " + between + " " + a.Target().Heading()
	}
	e.page = h.o.Addresses.Site + shown.Path()
	return e
}

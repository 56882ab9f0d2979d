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

// secretPrefix is what the addresses of secret feeds begin with. All below it is the
// door's, whatever it is, so that no log has a secret.
const secretPrefix = "/feeds/"

// secretFeed gives what answers a path below the folder of secret feeds; nil for none.
// The first segment is the number of a user and their secret; what follows names a feed.
func (d *Door) secretFeed(segments []string) answer {
	number, secret, ok := strings.Cut(segments[0], "-")
	id, _, valid := domain.IsID(number)
	if !ok || !valid || len(segments) < 2 {
		return nil
	}
	last := segments[len(segments)-1]
	name, ending, _ := strings.Cut(last, ".")
	if form := exporting.Format(ending); len(segments) == 3 && (form == exporting.OPDS || form == exporting.EPUB) {
		return d.secretExport(domain.UserID(id), secret, name, form)
	}
	f := present.FeedFormat(ending)
	if f != present.Atom && f != present.JSONFeed {
		return nil
	}
	var read source
	switch {
	case len(segments) == 2 && name == "feed":
		read = d.homeFeed
	case len(segments) == 2:
		read = d.userFeed(name)
	case len(segments) == 3 && segments[1] == "group":
		read = d.groupFeed(name)
	case len(segments) == 3:
		read = d.channelFeed(name)
	default:
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("X-Robots-Tag", "noindex")
		actor, err := d.o.App.FeedReader(r.Context(), domain.UserID(id), secret)
		if err != nil {
			return err
		}
		middleware.From(r.Context()).UserID = int64(actor.UserID)
		found, err := read(r.Context(), actor)
		if err != nil {
			return err
		}
		found.address = nil // what is passed on of a feed does not have its secret
		w.Header().Set("Cache-Control", "private, no-cache")
		return found.write(w, r, f)
	}
}

// secretExport gives what answers e-readers, which send no tokens: a channel as a catalogue, or as
// a book. What the catalogue offers is below the same secret.
func (d *Door) secretExport(user domain.UserID, secret, name string, form exporting.Format) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		actor, err := d.o.App.FeedReader(r.Context(), user, secret)
		if err != nil {
			return err
		}
		middleware.From(r.Context()).UserID = int64(actor.UserID)
		w.Header().Set("Cache-Control", "private, no-store")
		at := d.o.Addresses.SecretFeeds(user, secret)
		return httpedge.Stream(r.Context(), w, func(begin func(filename, contentType string) io.Writer) error {
			return d.o.Exports.Channel(r.Context(), actor, domain.ParseRef(name), form,
				func(c *domain.Channel, f exporting.Format) string { return at.Export(c, string(f)) }, begin)
		})
	}
}

// Downloads reports whether a request is for a book or a catalogue, which are made as they are sent.
func (d *Door) Downloads(r *http.Request) bool {
	ending := exporting.Format(strings.TrimPrefix(path.Ext(r.URL.Path), "."))
	return strings.HasPrefix(r.URL.Path, secretPrefix) && (ending == exporting.OPDS || ending == exporting.EPUB)
}

// homeFeed reads what those do whom the actor follows.
func (d *Door) homeFeed(ctx context.Context, actor domain.Actor) (x feed, err error) {
	me, err := d.o.App.User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil {
		return x, err
	}
	stories, err := d.o.App.Feed(ctx, actor, people.CursorInput{Limit: maxEntries})
	if err != nil {
		return x, err
	}
	site, err := d.o.App.SiteSettings(ctx)
	if err != nil {
		return x, err
	}
	x = feed{id: d.tag(me.CreatedAt, "feed", int64(me.ID)), title: site.Name + " · " + me.Name, page: d.o.Addresses.Site + "/feed"}
	for i := range stories.Items {
		x.entries = append(x.entries, d.story(d.o.Addresses.Activity(&stories.Items[i])))
	}
	x.finish(me.CreatedAt)
	return x, nil
}

// story gives the entry of an activity: what was done, and what it was done with.
func (d *Door) story(a present.Activity) entry {
	e, ok := d.thing(a.Story.Item)
	shown := a.Item()
	if c := a.Story.Item.Comment; !ok && c != nil {
		body, cut := whole(&c.Body)
		e.html = string(body) + template.HTMLEscapeString(cut)
		shown = a.Target()
	}
	actor := personOf(a.Actor())
	e.id, e.author, e.by = d.tag(a.CreatedAt, "activity", int64(a.ID)), actor, nil
	e.published, e.updated = a.CreatedAt, latest(a.CreatedAt, e.updated)
	e.title = strings.Join(strings.Fields(actor.name+" "+a.Action()+" "+shown.Heading()), " ")
	if between := a.Connector(); between != "" {
		e.title += " " + between + " " + a.Target().Heading()
	}
	e.page = d.o.Addresses.Site + shown.Path()
	return e
}

package collect

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// placed is a connection and the viewer's abilities.
type placed struct {
	Connection collections.PlacedConnection
	Channel    present.Channel
	Heading    string
	Place      int64 // from the top
	Rows       []row
	MayArrange bool
	MayRemove  bool
}

func connectionOf(v *web.Visit) (p placed, err error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return p, err
	}
	if p.Connection, err = v.App().Collections.Connection(v.R.Context(), v.Actor(), domain.ConnectionID(id)); err != nil {
		return p, err
	}
	c := &p.Connection.Channel
	p.Channel = v.Addresses().Channel(c)
	p.Place = c.Contents() - p.Connection.Position + 1
	p.MayArrange, p.MayRemove = domain.CanArrange(v.Actor(), *c), domain.CanRemove(v.Actor(), *c, p.Connection.Connection)
	return p, nil
}

func connectionPage(v *web.Visit) error {
	p, err := connectionOf(v)
	if err != nil {
		return err
	}
	p.Rows = rows(nil, p.Connection.Metadata, false)
	return showConnection(v, p, web.Given("place", strconv.FormatInt(p.Place, 10), "next", v.Query("next")))
}

func showConnection(v *web.Visit, p placed, f *web.Form) error {
	if !p.MayArrange && !p.MayRemove {
		return forbidden(v, "collect.channel.not-yours")
	}
	item := p.Connection.Item
	if item.Type == domain.ItemBlock {
		b, err := v.App().Collections.Block(v.R.Context(), v.Actor(), domain.BlockID(item.ID))
		if err != nil {
			return err
		}
		p.Heading = v.Addresses().Block(&b).Heading()
	} else {
		c, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.Ref{ID: item.ID})
		if err != nil {
			return err
		}
		p.Heading = c.Title
	}
	return v.Page("connection", v.T("collect.connection.of", p.Heading), f, p)
}

// changeConnection removes a connection, moves it or changes its metadata.
func changeConnection(v *web.Visit) error {
	f := v.Form()
	p, err := connectionOf(v)
	if missing(err) {
		return gone(v)
	}
	if err != nil {
		return err
	}
	ctx, id := v.R.Context(), p.Connection.ID
	switch f.Get("do") {
	case "remove":
		r, err := v.App().Collections.RemoveConnections(ctx, v.Actor(), domain.Ref{ID: int64(p.Channel.ID)}, []domain.ConnectionID{id})
		switch {
		case missing(err) || err == nil && r.Gone > 0:
			return gone(v)
		case err != nil:
			return err
		case r.Kept > 0:
			return forbidden(v, "collect.connect.kept")
		}
		return v.DoneSo(back(v, p.Channel.Path()), "removed", r.Undo, 1)
	case "move":
		how, position, err := movement(f, p.Channel.Contents())
		if err == nil {
			_, err = v.App().Collections.MoveConnection(ctx, v.Actor(), id, how, position)
		}
		if missing(err) {
			return gone(v)
		}
		if f.Refused(err, "place") {
			p.Rows = rows(nil, p.Connection.Metadata, false)
			return showConnection(v, p, f)
		}
		if err != nil {
			return err
		}
		return v.Done(back(v, p.Channel.Path()), "moved")
	case "edit":
		patch, err := metadataPatch(f, p.Connection.Metadata)
		if err == nil && patch != nil {
			_, err = v.App().Collections.UpdateConnection(ctx, v.Actor(), id, patch)
		}
		switch err = underMetadata(v, err); {
		case missing(err):
			return gone(v)
		case f.Refused(err, "metadata"):
			p.Rows = rows(f, p.Connection.Metadata, false)
			return showConnection(v, p, f)
		case err != nil:
			return err
		}
		return v.Done(back(v, p.Channel.Path()), "connection-saved")
	}
	return web.UnknownButton()
}

// movement reads the destination of an item: "to" names a movement, "position" counts from the
// bottom like the API, and "place" counts from the top like people do. n is the number of items.
func movement(f *web.Form, n int64) (how domain.Movement, position *int64, err error) {
	switch f.Get("to") {
	case "top":
		return domain.MoveToTop, nil, nil
	case "bottom":
		return domain.MoveToBottom, nil, nil
	case "up":
		return domain.MoveUp, nil, nil
	case "down":
		return domain.MoveDown, nil, nil
	}
	field, from := "position", f.Trimmed("position")
	if from == "" {
		field, from = "place", f.Trimmed("place")
	}
	at, err := strconv.ParseInt(from, 10, 64)
	if err != nil || at < 1 {
		return "", nil, domain.InvalidField("place", domain.FieldOutOfRange, "must be a number from 1")
	}
	if field == "place" {
		at = max(n-at+1, 1)
	}
	return domain.InsertAt, &at, nil
}

// undo restores a removed connection.
func undo(v *web.Visit) error {
	r, err := v.App().Collections.UndoRemoval(v.R.Context(), v.Actor(), v.Form().Get("undo"))
	switch {
	case missing(err):
		return v.Done(back(v, "/"), "undo-late")
	case err != nil && domain.KindOf(err) == domain.Forbidden:
		return v.Done(back(v, "/"), "undo-forbidden")
	case err != nil:
		return err
	case v.WantsJSON() && r.Lost == 0:
		return changed{Places: placings(r.Placed)}.answer(v, v.Addresses().Channel(&r.Channel), "undone")
	}
	next := back(v, v.Addresses().Channel(&r.Channel).Path())
	if r.Lost > 0 {
		return v.DoneSo(next, "undo-some", "", r.Lost)
	}
	return v.Done(next, "undone")
}

// takeBack undoes additions: it removes the connections, and deletes new blocks that are nowhere else.
func takeBack(v *web.Visit) error {
	var ids []domain.ConnectionID
	for id := range numbers(v.Form().Values("connection")) {
		ids = append(ids, domain.ConnectionID(id))
	}
	slices.Sort(ids)
	r, err := v.App().Collections.UndoAdding(v.R.Context(), v.Actor(), ids)
	switch {
	case err != nil:
		return err
	case v.WantsJSON() && r.Kept == 0:
		return v.JSON(http.StatusOK, changed{Note: noteText(v, "taken-back", r.Count+r.Gone)})
	case r.Kept > 0:
		return v.DoneSo(back(v, "/"), "taken-back-some", "", r.Count, r.Kept)
	}
	return v.DoneSo(back(v, "/"), "taken-back", "", r.Count+r.Gone)
}

// itemAsked returns the item that a script asks about: that of a connection, a block or a channel. It is zero for none.
func itemAsked(v *web.Visit) (item domain.ItemRef, err error) {
	for _, name := range []string{"connection", "block", "channel"} {
		asked := v.Query(name)
		if asked == "" {
			continue
		}
		id, err := web.ID(asked)
		if err != nil {
			return item, err
		}
		switch name {
		case "connection":
			p, err := v.App().Collections.Connection(v.R.Context(), v.Actor(), domain.ConnectionID(id))
			return p.Item, err
		case "block":
			b, err := v.App().Collections.Block(v.R.Context(), v.Actor(), domain.BlockID(id))
			return domain.BlockRef(b.ID), err
		}
		c, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.Ref{ID: id})
		return domain.ChannelRef(c.ID), err
	}
	return item, nil
}

// connectionChoices suggests channels to a script, for an item or for several ones. Those that have the item already come
// last.
func connectionChoices(v *web.Visit) error {
	item, err := itemAsked(v)
	if err != nil {
		return err
	}
	found, err := v.App().Finder.ConnectChoices(v.R.Context(), v.Actor(), strings.TrimSpace(v.Query("q")), item, maxChoices)
	if err != nil {
		return err
	}
	var fresh, there []web.Option
	for _, c := range found {
		o := web.Option{Value: strconv.FormatInt(int64(c.ID), 10), Label: c.Title}
		switch {
		case c.There:
			o.Hint = v.T("collect.connect.there")
			there = append(there, o)
		case c.MayAdd:
			o.Hint = c.Owner.Name + " · " + v.T("cell.mark."+string(c.Visibility))
			fresh = append(fresh, o)
		}
	}
	return v.Options(append(fresh, there...))
}

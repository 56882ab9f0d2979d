package collect

import (
	"net/http"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// connecting is an item with the channels that it can be connected to.
type connecting struct {
	Item    domain.ItemRef
	Path    string // of its page
	Heading string
	Choices choices
	Failed  []refused // channels
}

// itemOf returns the block or channel in the path.
func itemOf(v *web.Visit) (c connecting, err error) {
	if strings.HasPrefix(v.R.URL.Path, "/channel/") {
		ch, err := channelByID(v)
		if err != nil {
			return c, err
		}
		return connecting{Item: domain.ChannelRef(ch.ID), Path: ch.Path(), Heading: ch.Title}, nil
	}
	b, err := blockByID(v)
	if err != nil {
		return c, err
	}
	return connecting{Item: domain.BlockRef(b.ID), Path: b.Path(), Heading: b.Heading()}, nil
}

func connectPage(v *web.Visit) error {
	c, err := itemOf(v)
	if err != nil {
		return err
	}
	q := v.R.URL.Query()
	return showConnect(v, c, web.Given("title", v.Query("title"), "next", v.Query("next")), v.Query("q"), q["channel"], q["shown"])
}

func showConnect(v *web.Visit, c connecting, f *web.Form, query string, ticked, shown []string) (err error) {
	if c.Choices, err = findChoices(v, c.Item, strings.TrimSpace(query), ticked, shown); err != nil {
		return err
	}
	return v.Page("connect", v.T("collect.connect.of", c.Heading), f, c)
}

// connect connects the item to the ticked channels and disconnects it from the others. It creates a
// new channel if the form names one.
func connect(v *web.Visit) error {
	f := v.Form()
	c, err := itemOf(v)
	if missing(err) {
		return gone(v, "title", "collect.connect.new")
	}
	if err != nil {
		return err
	}
	on, shown := numbers(f.Values("channel")), numbers(f.Values("shown"))
	if title := f.Get("title"); strings.TrimSpace(title) != "" {
		made, err := v.App().Collections.CreateChannel(v.R.Context(), v.Actor(), collections.CreateChannelInput{Title: title,
			Visibility: domain.Visibility(f.Get("visibility")), Once: v.OnceKey("connect", title)})
		if f.Refused(err, "title") {
			return showConnect(v, c, f, "", f.Values("channel"), f.Values("shown"))
		}
		if err != nil {
			return err
		}
		on[int64(made.ID)] = true
	}
	var made []domain.ConnectionID
	undo, count := "", 0
	for id := range on {
		if shown[id] { // already connected
			continue
		}
		placed, err := v.App().Collections.Connect(v.R.Context(), v.Actor(), c.Item, []collections.Target{{Channel: domain.Ref{ID: id}}})
		if err := c.note(v, id, err); err != nil {
			return err
		}
		made = append(made, fresh(placed)...)
		count++
	}
	removed := 0
	for id := range shown {
		if on[id] {
			continue
		}
		r, err := v.App().Collections.RemoveItem(v.R.Context(), v.Actor(), domain.Ref{ID: id}, c.Item)
		if err == nil && r.Kept > 0 {
			err = domain.NewForbidden(v.T("collect.connect.kept"))
		}
		if err := c.note(v, id, err); err != nil {
			return err
		}
		if undo = r.Undo; undo != "" {
			removed++
		}
		count++
	}
	if len(c.Failed) > 0 {
		f.Wrong("channel", v.T("collect.connect.some"))
		return showConnect(v, c, f, "", f.Values("channel"), f.Values("shown"))
	}
	if v.WantsJSON() {
		return v.JSON(http.StatusOK, changed{Note: noteText(v, "connected-many", len(on)), Connections: made})
	}
	if removed != 1 || count != 1 { // undo restores only one removal
		undo = ""
	}
	return v.DoneSo(back(v, c.Path), "connected", undo)
}

// fresh returns the ids of connections that did not exist before.
func fresh(all []collections.PlacedConnection) (ids []domain.ConnectionID) {
	for _, c := range all {
		if !c.There {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// note records why a channel was refused. It returns unexpected errors.
func (c *connecting) note(v *web.Visit, id int64, err error) error {
	switch domain.KindOf(err) {
	case domain.NotFound, domain.Forbidden, domain.Unprocessable, domain.Conflict, domain.Invalid:
	default:
		return err
	}
	if err == nil {
		return nil
	}
	name, why := "", v.T("collect.gone.short")
	if ch, found := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.Ref{ID: id}); found == nil {
		name, why = ch.Title, web.Sentence(v.Lang.Fault(err.Error()))
	}
	c.Failed = append(c.Failed, refused{name, why})
	return nil
}

// Visibilities returns the possible visibilities of a new channel.
func (connecting) Visibilities() []domain.Visibility { return visibilities }

package collect

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// arrangePer is how many items are on a page for arranging a channel.
const arrangePer = 50

// arranging is a page of a channel's items with check boxes and position numbers.
type arranging struct {
	Channel    present.Channel
	Items      []arranged
	Pager      web.Pager
	Choices    choices
	MayArrange bool
	Here       string
}

// arranged is an item of a channel.
type arranged struct {
	web.Cell
	Connection domain.ConnectionID
	Removable  bool  // the viewer may remove it
	Place      int64 // from the top
	Typed      string
	Ticked     bool
}

func arrangePage(v *web.Visit) error {
	c, moved, err := channelOf(v)
	if err != nil {
		return err
	}
	if moved != "" {
		return v.Redirect(moved)
	}
	return showArrange(v, c, nil, v.R.URL.Query()["connection"])
}

func showArrange(v *web.Visit, c present.Channel, f *web.Form, ticked []string) error {
	number, err := v.PageNumber()
	if err != nil {
		return err
	}
	page := domain.Page{Number: number, Per: arrangePer}
	l, err := v.App().Collections.Contents(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)},
		collections.ContentsInput{Sort: domain.ContentSort{Key: domain.ByPosition, Desc: true}, Page: page})
	if err != nil {
		return err
	}
	a := arranging{Channel: c, Pager: v.Pager(page, l.Total), MayArrange: domain.CanArrange(v.Actor(), *c.Channel), Here: v.Here()}
	on := numbers(ticked)
	for _, item := range l.Items {
		one := arranged{Cell: v.Cell(item.Entity), Connection: item.Connection.ID, Removable: domain.CanRemove(v.Actor(), *c.Channel, item.Connection), Place: c.Contents() - item.Connection.Position + 1,
			Ticked: on[int64(item.Connection.ID)]}
		one.Typed = strconv.FormatInt(one.Place, 10)
		if f.Posted() {
			one.Typed = cmp.Or(f.Get("place"+strconv.FormatInt(int64(one.Connection), 10)), one.Typed)
		}
		a.Items = append(a.Items, one)
	}
	if !a.MayArrange && !slices.ContainsFunc(a.Items, func(i arranged) bool { return i.Removable }) && !v.Actor().MayWrite() {
		return forbidden(v, "collect.channel.not-yours")
	}
	if a.Choices, err = findChoices(v, domain.ItemRef{}, v.Query("q"), nil, nil); err != nil {
		return err
	}
	a.Choices.More = slices.DeleteFunc(a.Choices.More, func(o choice) bool { return o.ID == c.ID })
	return v.Page("arrange", v.T("collect.arrange.of", c.Title), f, a)
}

// arrange applies one action to the selected items, or reorders all by their numbers. If it fails
// for some items, it continues with the others and reports their number.
func arrange(v *web.Visit) error {
	f := v.Form()
	c, _, err := channelOf(v)
	if missing(err) {
		return gone(v)
	}
	if err != nil {
		return err
	}
	if f.Get("do") == "order" {
		return reorder(v, c, f)
	}
	ids := connections(f)
	switch {
	case len(ids) == 0:
		f.Wrong("connection", v.T("collect.arrange.none"))
	case len(ids) > domain.MaxRemoved:
		f.Wrong("connection", v.T("collect.arrange.many", domain.MaxRemoved))
	}
	if f.Failed() {
		return showArrange(v, c, f, f.Values("connection"))
	}
	switch f.Get("do") {
	case "remove":
		r, err := v.App().Collections.RemoveConnections(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, ids)
		if err != nil {
			return err
		}
		done := changed{Undo: r.Undo, Connections: r.Connections}
		if r.Kept+r.Gone > 0 {
			return done.answer(v, c, "removed-some", r.Count, r.Kept+r.Gone)
		}
		return done.answer(v, c, "removed", r.Count)
	case "connect":
		return connectMany(v, c, f, ids)
	case "book":
		to := url.Values{}
		for _, id := range ids {
			to.Add("connection", strconv.FormatInt(int64(id), 10))
		}
		return v.Redirect(c.Path() + "/articles.epub?" + to.Encode())
	case "top", "bottom", "place", "move":
		return moveMany(v, c, f, ids)
	}
	return web.UnknownButton()
}

// connections returns the selected items in the order of the form, each once.
func connections(f *web.Form) (ids []domain.ConnectionID) {
	for _, value := range f.Values("connection") {
		id, err := strconv.ParseInt(value, 10, 64)
		if err == nil && id > 0 && !slices.Contains(ids, domain.ConnectionID(id)) && len(ids) <= domain.MaxRemoved {
			ids = append(ids, domain.ConnectionID(id))
		}
	}
	return ids
}

// changed is the JSON of a change of several items, for scripts that show it without loading the page again.
type changed struct {
	Note        string                `json:"note"`
	Items       string                `json:"items,omitempty"`       // how many items the channel has
	Undo        string                `json:"undo,omitempty"`        // key of a removal or of moves
	Connections []domain.ConnectionID `json:"connections,omitempty"` // removed or new ones
	Places      []placing             `json:"places,omitempty"`      // former ones of moved items, or those of restored items
}

// placing is the JSON of an item's position.
type placing struct {
	Connection domain.ConnectionID `json:"connection"`
	Position   int64               `json:"position"`
}

func placings(all []collections.Placing) (shown []placing) {
	for _, p := range all {
		shown = append(shown, placing(p))
	}
	return shown
}

// answer redirects to the page with a note that contains numbers, or sends the change to a script.
func (d changed) answer(v *web.Visit, c present.Channel, note string, numbers ...int) error {
	if !v.WantsJSON() {
		return v.DoneSo(v.Here(), note, d.Undo, numbers...)
	}
	full, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)})
	if err != nil {
		return err
	}
	d.Items, d.Note = v.T("cell.items", full.Contents()), noteText(v, note, numbers...)
	return v.JSON(http.StatusOK, d)
}

// noteText returns the text of a note that contains numbers.
func noteText(v *web.Visit, note string, numbers ...int) string {
	args := make([]any, len(numbers))
	for i, n := range numbers {
		args[i] = n
	}
	return v.T("web.note."+note, args...)
}

// connectMany connects the selected items to another channel, or to a new one if the form has a title. They have the
// same order there.
func connectMany(v *web.Visit, c present.Channel, f *web.Form, ids []domain.ConnectionID) error {
	to, err := strconv.ParseInt(f.Get("to"), 10, 64)
	if title := f.Get("title"); err != nil && strings.TrimSpace(title) != "" {
		made, err := v.App().Collections.CreateChannel(v.R.Context(), v.Actor(), collections.CreateChannelInput{Title: title, Once: v.OnceKey("connect", title)})
		if f.Refused(err, "title") {
			f.Wrong("to", f.Error("title"))
			return showArrange(v, c, f, f.Values("connection"))
		}
		if err != nil {
			return err
		}
		to = int64(made.ID)
	} else if err != nil || to < 1 {
		f.Wrong("to", v.T("collect.arrange.to.none"))
		return showArrange(v, c, f, f.Values("connection"))
	}
	var all changed
	done, failed := 0, 0
	for _, id := range slices.Backward(ids) { // each goes above the one before it
		p, err := v.App().Collections.Connection(v.R.Context(), v.Actor(), id)
		var made []collections.PlacedConnection
		if err == nil {
			made, err = v.App().Collections.Connect(v.R.Context(), v.Actor(), p.Item, []collections.Target{{Channel: domain.Ref{ID: to}}})
		}
		if ok, err := count(err, &done, &failed); !ok {
			return err
		}
		all.Connections = append(all.Connections, fresh(made)...)
	}
	return all.counted(v, c, "connected-many", done, failed)
}

// count counts successes and expected failures. It returns false for other errors.
func count(err error, done, failed *int) (bool, error) {
	if err == nil {
		*done++
		return true, nil
	}
	switch domain.KindOf(err) {
	case domain.NotFound, domain.Forbidden, domain.Unprocessable, domain.Conflict:
		*failed++
		return true, nil
	}
	return false, err
}

// counted is answer with a note on how many items were changed.
func (d changed) counted(v *web.Visit, c present.Channel, note string, done, failed int) error {
	if failed > 0 {
		return d.answer(v, c, "arranged-some", done, failed)
	}
	return d.answer(v, c, note, done)
}

// moveMany moves the selected items to one place and keeps their order, or to a position for each if a script asks for
// it.
func moveMany(v *web.Visit, c present.Channel, f *web.Form, ids []domain.ConnectionID) error {
	to := make([]collections.Placing, len(ids))
	for i, id := range ids {
		to[i] = collections.Placing{Connection: id, Position: 1}
	}
	switch f.Get("do") {
	case "top":
		for i := range to {
			to[i].Position = max(c.Contents(), 1)
		}
	case "place":
		at, err := strconv.ParseInt(f.Trimmed("at"), 10, 64)
		if err != nil || at < 1 {
			f.Wrong("at", v.T("collect.arrange.at.wrong"))
			return showArrange(v, c, f, f.Values("connection"))
		}
		for i := range to {
			to[i].Position = max(c.Contents()-at+1, 1)
		}
	case "move":
		positions := f.Values("position")
		for i := range to {
			at := int64(0)
			if len(positions) == len(ids) {
				at, _ = strconv.ParseInt(positions[i], 10, 64) // an invalid number is 0
			}
			if at < 1 {
				f.Wrong("at", v.T("collect.arrange.at.wrong"))
				return showArrange(v, c, f, f.Values("connection"))
			}
			to[i].Position = at
		}
	}
	return moveTo(v, c, to)
}

// reorder moves the items whose numbers changed.
func reorder(v *web.Visit, c present.Channel, f *web.Form) error {
	var to []collections.Placing
	for id := range numbers(f.Values("item")) {
		name := strconv.FormatInt(id, 10)
		if is := f.Trimmed("place" + name); is != f.Trimmed("was"+name) {
			place, err := strconv.ParseInt(is, 10, 64)
			if err != nil || place < 1 {
				f.Wrong("place", v.T("collect.arrange.place.wrong", is))
				return showArrange(v, c, f, f.Values("connection"))
			}
			to = append(to, collections.Placing{Connection: domain.ConnectionID(id), Position: max(c.Contents()-place+1, 1)})
		}
	}
	if len(to) == 0 {
		return changed{}.answer(v, c, "moved-many", 0)
	}
	return moveTo(v, c, to)
}

// moveTo moves items to positions, and reports how many it moved.
func moveTo(v *web.Visit, c present.Channel, to []collections.Placing) error {
	r, err := v.App().Collections.MoveConnections(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, to)
	if err != nil {
		return err
	}
	return changed{Undo: r.Undo, Places: placings(r.Before)}.counted(v, c, "moved-many", len(r.Before), r.Gone)
}

package collect

import (
	"cmp"
	"slices"
	"strconv"

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
	ticked := f.Values("connection")
	var ids []domain.ConnectionID
	for id := range numbers(ticked) {
		ids = append(ids, domain.ConnectionID(id))
	}
	slices.Sort(ids)
	switch {
	case len(ids) == 0:
		f.Wrong("connection", v.T("collect.arrange.none"))
	case len(ids) > domain.MaxRemoved:
		f.Wrong("connection", v.T("collect.arrange.many", domain.MaxRemoved))
	}
	if f.Failed() {
		return showArrange(v, c, f, ticked)
	}
	switch f.Get("do") {
	case "remove":
		r, err := v.App().Collections.RemoveConnections(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, ids)
		if err != nil {
			return err
		}
		if r.Kept+r.Gone > 0 {
			return v.DoneSo(v.Here(), "removed-some", r.Undo, r.Count, r.Kept+r.Gone)
		}
		return v.DoneSo(v.Here(), "removed", r.Undo, r.Count)
	case "connect":
		return connectMany(v, c, f, ids)
	case "top", "bottom", "place":
		return moveMany(v, c, f, ids)
	}
	return web.UnknownButton()
}

// connectMany connects the selected items to another channel.
func connectMany(v *web.Visit, c present.Channel, f *web.Form, ids []domain.ConnectionID) error {
	to, err := strconv.ParseInt(f.Get("to"), 10, 64)
	if err != nil || to < 1 {
		f.Wrong("to", v.T("collect.arrange.to.none"))
		return showArrange(v, c, f, f.Values("connection"))
	}
	done, failed := 0, 0
	for _, id := range ids {
		p, err := v.App().Collections.Connection(v.R.Context(), v.Actor(), id)
		if err == nil {
			_, err = v.App().Collections.Connect(v.R.Context(), v.Actor(), p.Item, []collections.Target{{Channel: domain.Ref{ID: to}}})
		}
		if ok, err := count(err, &done, &failed); !ok {
			return err
		}
	}
	return redirectWithNote(v, "connected-many", done, failed)
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

// redirectWithNote redirects to the page with a note on how many items were changed.
func redirectWithNote(v *web.Visit, note string, done, failed int) error {
	if failed > 0 {
		return v.DoneSo(v.Here(), "arranged-some", "", done, failed)
	}
	return v.DoneSo(v.Here(), note, "", done)
}

// moveMany moves the selected items to one place, and keeps their order.
func moveMany(v *web.Visit, c present.Channel, f *web.Form, ids []domain.ConnectionID) error {
	m := moves{n: c.Contents()}
	if err := m.read(v, c, ids); err != nil {
		return err
	}
	slices.SortFunc(m.all, func(a, b move) int { return cmp.Compare(a.at, b.at) })
	first := int64(1)
	switch f.Get("do") {
	case "bottom":
		first = max(m.n-int64(len(m.all))+1, 1)
	case "place":
		at, err := strconv.ParseInt(f.Trimmed("at"), 10, 64)
		if err != nil || at < 1 {
			f.Wrong("at", v.T("collect.arrange.at.wrong"))
			return showArrange(v, c, f, f.Values("connection"))
		}
		first = min(at, max(m.n-int64(len(m.all))+1, 1))
	}
	for i := range m.all {
		m.all[i].to = first + int64(i)
	}
	return m.carryOut(v)
}

// reorder moves the items whose numbers changed.
func reorder(v *web.Visit, c present.Channel, f *web.Form) error {
	wanted := map[domain.ConnectionID]int64{}
	var ids []domain.ConnectionID
	for id := range numbers(f.Values("item")) {
		name := strconv.FormatInt(id, 10)
		if is := f.Trimmed("place" + name); is != f.Trimmed("was"+name) {
			place, err := strconv.ParseInt(is, 10, 64)
			if err != nil || place < 1 {
				f.Wrong("place", v.T("collect.arrange.place.wrong", is))
				return showArrange(v, c, f, f.Values("connection"))
			}
			ids = append(ids, domain.ConnectionID(id))
			wanted[domain.ConnectionID(id)] = place
		}
	}
	m := moves{n: c.Contents()}
	if err := m.read(v, c, ids); err != nil {
		return err
	}
	for i := range m.all {
		m.all[i].to = wanted[m.all[i].id]
	}
	slices.SortFunc(m.all, func(a, b move) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.at, b.at)) })
	return m.carryOut(v)
}

// moves are items that move within a channel of n items. Places count from the top.
type moves struct {
	n            int64
	all          []move
	done, failed int
}

// move is an item with its current and new place.
type move struct {
	id     domain.ConnectionID
	at, to int64
}

// read finds the current places of the items.
func (m *moves) read(v *web.Visit, c present.Channel, ids []domain.ConnectionID) error {
	for _, id := range ids {
		p, err := v.App().Collections.Connection(v.R.Context(), v.Actor(), id)
		if err == nil && p.ChannelID != c.ID {
			err = domain.NewNotFound()
		}
		if err == nil {
			m.all = append(m.all, move{id: id, at: m.n - p.Position + 1})
		} else if ok, err := count(err, new(int), &m.failed); !ok {
			return err
		}
	}
	return nil
}

// carryOut moves all items in the order of their new places, and reports how many it moved.
func (m *moves) carryOut(v *web.Visit) error {
	last := int64(0)
	for i, x := range m.all {
		last = min(max(x.to, last+1), m.n)
		at := m.insertion(last, m.all[i+1:])
		position := max(m.n-at+1, 1)
		_, err := v.App().Collections.MoveConnection(v.R.Context(), v.Actor(), x.id, domain.InsertAt, &position)
		if ok, err := count(err, &m.done, &m.failed); !ok {
			return err
		}
		if err != nil {
			continue
		}
		for j := range m.all[i+1:] {
			other := &m.all[i+1+j].at
			if *other > x.at {
				*other--
			}
			if *other >= at {
				*other++
			}
		}
	}
	return redirectWithNote(v, "moved-many", m.done, m.failed)
}

// insertion returns the current place that becomes the place to when the leaving items have moved
// below it.
func (m *moves) insertion(to int64, leaving []move) int64 {
	at := to
	for {
		above := int64(0)
		for _, other := range leaving {
			if other.at <= at {
				above++
			}
		}
		if to+above == at || at >= m.n {
			return min(at, m.n)
		}
		at = to + above
	}
}

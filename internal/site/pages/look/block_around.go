package look

import (
	"fmt"
	"net/url"
	"strconv"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// around is the channel from which the reader came to a block, and the neighbours of the block in
// it. It is zero if the reader came from elsewhere.
type around struct {
	Channel    present.Channel // its Channel is nil if the reader came from elsewhere
	Remove     string          // path of the form that removes the block from the channel, "" if the reader may not
	Prev, Next string          // paths, "" at the ends
}

// findAround returns the channel of the parameter in. It ignores channels that the reader cannot
// see, or that no longer contain the block.
func findAround(v *web.Visit, block domain.BlockID) (a around, err error) {
	id, _, ok := domain.IsID(v.Query("in"))
	if !ok {
		return a, nil
	}
	n, err := v.App().Collections.Neighbours(v.R.Context(), v.Actor(), domain.Ref{ID: id}, block)
	if domain.KindOf(err) == domain.NotFound {
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.Channel = v.Addresses().Channel(&n.Channel)
	if domain.CanRemove(v.Actor(), n.Channel, n.Connection) {
		a.Remove = "/connection/" + strconv.FormatInt(int64(n.Connection.ID), 10)
	}
	if n.Prev != nil {
		a.Prev = a.pathOf(v, *n.Prev)
	}
	if n.Next != nil {
		a.Next = a.pathOf(v, *n.Next)
	}
	return a, nil
}

// pathOf returns the path of a neighbour.
func (a around) pathOf(v *web.Visit, c collections.Content) string {
	if c.Block != nil {
		return web.BlockPath(c.Block.ID, a.Channel.ID)
	}
	return v.Addresses().Entity(c.Entity).Path()
}

// with returns a path with a parameter and the reader's channel.
func (a around) with(path, name, value string) string {
	q := url.Values{name: {value}}
	if id := a.ID(); id != "" {
		q.Set("in", id)
	}
	return path + "?" + q.Encode()
}

// in returns a path with the reader's channel.
func (a around) in(path string) string {
	if id := a.ID(); id != "" {
		return path + "?in=" + id
	}
	return path
}

// ID returns the id of the reader's channel, "" for none.
func (a around) ID() string {
	if a.Channel.Channel == nil {
		return ""
	}
	return strconv.FormatInt(int64(a.Channel.ID), 10)
}

// tag returns the part of the page's ETag that depends on the channel.
func (a around) tag() string {
	if a.Channel.Channel == nil {
		return ""
	}
	return fmt.Sprint(a.Channel.ID, a.Channel.Version, a.Channel.Channel.Owner.Version, a.Remove, a.Prev, a.Next)
}

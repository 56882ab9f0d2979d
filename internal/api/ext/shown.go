package ext

import (
	"context"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// current returns a thing with a strong ETag, which identifies its state. With fields or expand it also identifies the
// body, since other things can change that.
func (h *handler) current(ctx context.Context, s selection, c collections.Current, t domain.Entity, page string) (wire.JSON, error) {
	who := httpedge.Actor(ctx)
	state, selects := h.state(who, c), s.fields != nil || len(s.expand) > 0
	if !selects {
		if err := httpedge.Fresh(ctx, `"`+state+`"`); err != nil {
			return nil, err
		}
	}
	body := wire.JSON(wire.Bytes(h.shown(who, c)))
	if page != "" {
		body = withField(body, "web_url", page)
	}
	if !selects {
		return body, nil
	}
	more, err := h.expanded(ctx, s, []domain.Entity{t})
	if err != nil {
		return nil, err
	}
	if body, err = s.shown(body, more(t)); err != nil {
		return nil, err
	}
	return body, httpedge.Fresh(ctx, `"`+state+"."+strconv.FormatUint(xxhash.Sum64(body), 16)+`"`)
}

// ShowBlock implements showBlock.
func (h *handler) ShowBlock(ctx context.Context, p ext.ShowBlockParams) (wire.JSON, error) {
	s, err := h.selected(p.Fields, p.Expand, forms{[]string{"Block"}, []string{"channels", "user"}})
	if err != nil {
		return nil, err
	}
	b, err := h.app.Collections.Block(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	return h.current(ctx, s, collections.Current{Block: &b}, domain.Entity{Block: &b}, h.at.Block(&b).URL())
}

// ShowChannel implements showChannel.
func (h *handler) ShowChannel(ctx context.Context, p ext.ShowChannelParams) (wire.JSON, error) {
	s, err := h.selected(p.Fields, p.Expand, forms{[]string{"Channel"}, []string{"channels", "contents", "owner"}})
	if err != nil {
		return nil, err
	}
	c, err := h.app.Collections.Channel(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	return h.current(ctx, s, collections.Current{Channel: &c}, domain.Entity{Channel: &c.Channel}, h.at.Channel(&c.Channel).URL())
}

// ShowConnection implements showConnection.
func (h *handler) ShowConnection(ctx context.Context, p ext.ShowConnectionParams) (wire.JSON, error) {
	s, err := h.selected(p.Fields, ext.OptString{}, connections)
	if err != nil {
		return nil, err
	}
	c, err := h.app.Collections.Connection(ctx, httpedge.Actor(ctx), domain.ConnectionID(p.ID))
	if err != nil {
		return nil, err
	}
	return h.current(ctx, s, collections.Current{Connection: &c}, domain.Entity{}, "")
}

// ShowComment implements showComment.
func (h *handler) ShowComment(ctx context.Context, p ext.ShowCommentParams) (wire.JSON, error) {
	s, err := h.selected(p.Fields, ext.OptString{}, comments)
	if err != nil {
		return nil, err
	}
	c, err := h.app.Collections.Comment(ctx, httpedge.Actor(ctx), domain.CommentID(p.ID))
	if err != nil {
		return nil, err
	}
	t := domain.Entity{Comment: &c}
	return h.current(ctx, s, collections.Current{Comment: &c}, t, h.at.Entity(t).URL())
}

// ShowUser implements showUser.
func (h *handler) ShowUser(ctx context.Context, p ext.ShowUserParams) (wire.JSON, error) {
	s, err := h.selected(p.Fields, ext.OptString{}, users)
	if err != nil {
		return nil, err
	}
	u, err := h.app.People.User(ctx, domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	t := domain.Entity{User: &u}
	return h.current(ctx, s, collections.Current{User: &u}, t, h.at.Entity(t).URL())
}

// ShowGroup implements showGroup.
func (h *handler) ShowGroup(ctx context.Context, p ext.ShowGroupParams) (wire.JSON, error) {
	s, err := h.selected(p.Fields, ext.OptString{}, groups)
	if err != nil {
		return nil, err
	}
	g, err := h.app.People.Group(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	t := domain.Entity{Group: &g}
	return h.current(ctx, s, collections.Current{Group: &g}, t, h.at.Entity(t).URL())
}

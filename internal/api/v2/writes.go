package v2

import (
	"cmp"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/weburl"
)

// createChannel creates a channel. By default it is public.
func (h *handler) createChannel(c call) (answer, error) {
	var in struct {
		Title       string  `json:"title"`
		Status      string  `json:"status"`
		Description *string `json:"description"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	ch, err := h.app.Collections.CreateChannel(c.ctx, c.who, collections.CreateChannelInput{Title: in.Title, Description: in.Description,
		Visibility: domain.Visibility(cmp.Or(in.Status, string(domain.Public)))})
	if err != nil {
		return nil, err
	}
	return h.shownChannel(c, &ch.Channel, nil)
}

// updateChannel changes the given fields of a channel.
func (h *handler) updateChannel(c call) (answer, error) {
	var in struct {
		Title       *string            `json:"title"`
		Status      *domain.Visibility `json:"status"`
		Description *string            `json:"description"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	ch, err := h.app.Collections.UpdateChannel(c.ctx, c.who, c.ref(0), collections.UpdateChannelInput{Title: in.Title, Visibility: in.Status,
		Description: core.Patch{Set: in.Description != nil, Value: in.Description}})
	if err != nil {
		return nil, err
	}
	return h.shownChannel(c, &ch.Channel, nil)
}

func (h *handler) deleteChannel(c call) (answer, error) {
	return nil, h.app.Collections.DeleteChannel(c.ctx, c.who, c.ref(0))
}

// item names a thing in a request by type and id.
type item struct {
	Type string  `json:"connectable_type"`
	ID   numeral `json:"connectable_id"`
}

func (i item) ref() domain.ItemRef {
	return domain.ItemRef{Type: domain.ItemType(i.Type), ID: int64(i.ID)}
}

// sortChannel sorts the items of a channel, or moves one of them.
func (h *handler) sortChannel(c call) (answer, error) {
	var in struct {
		item
		IDs      []numeral `json:"ids"`
		Position numeral   `json:"new_position"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	if in.IDs == nil {
		var f domain.Faults
		if in.Type == "" {
			f.Add("connectable_type", domain.FieldRequired, "is required, unless there are `ids`")
		}
		f.Positive("connectable_id", int64(in.ID))
		f.Positive("new_position", int64(in.Position))
		if err := f.Err(); err != nil {
			return nil, err
		}
		_, err := h.app.Collections.MoveItem(c.ctx, c.who, c.ref(0), in.ref(), int64(in.Position))
		return nil, err
	}
	ids := make([]int64, len(in.IDs))
	for i, id := range in.IDs {
		ids[i] = int64(id)
	}
	return nil, h.app.Collections.SortContents(c.ctx, c.who, c.ref(0), ids)
}

// createBlock creates a block in a channel from a URL or a text.
func (h *handler) createBlock(c call) (answer, error) {
	var in struct {
		Source      string  `json:"source"`
		Content     string  `json:"content"`
		Title       *string `json:"title"`
		Description *string `json:"description"`
		Position    numeral `json:"position"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	var f domain.Faults
	source, content := strings.TrimSpace(in.Source), strings.TrimSpace(in.Content)
	switch {
	case source == "" && content == "":
		f.Add("content", domain.FieldRequired, "or `source` is required")
	case source != "" && content != "" && source != content: // one library sends a URL as both
		f.Add("source", domain.FieldExclusive, "or `content` must be given, not both")
	case source != "":
		link, err := weburl.Canonical(source)
		if err != nil {
			f.Add("source", domain.FieldMalformed, "must be an http or https address")
		}
		source = link
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	made, err := h.app.Collections.CreateBlockIn(c.ctx, c.who, collections.CreateBlockInput{
		BlockInput: collections.BlockInput{Value: cmp.Or(source, in.Content), Title: in.Title, Description: in.Description},
		Targets:    []collections.Target{{Channel: c.ref(0), Position: int64(in.Position)}}})
	if err != nil {
		return nil, err
	}
	return h.shownItem(c, made)
}

// createConnection connects a block or a channel to a channel.
func (h *handler) createConnection(c call) (answer, error) {
	var in struct {
		item
		Position numeral `json:"position"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	made, err := h.app.Collections.ConnectTo(c.ctx, c.who, c.ref(0), in.ref(), int64(in.Position))
	if err != nil {
		return nil, err
	}
	return h.shownItem(c, made)
}

// shownItem returns a block or a channel with its connection.
func (h *handler) shownItem(c call, of collections.Content) (answer, error) {
	cast := h.newRelated(c.who)
	cast.entity(of.Entity)
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) { cast.item(p, of) }, nil
}

// removeBlock removes a block from a channel.
func (h *handler) removeBlock(c call) (answer, error) {
	return nil, h.app.Collections.DisconnectBlock(c.ctx, c.who, c.ref(0), domain.BlockID(c.id(1)))
}

// removeConnection removes a connection from a channel.
func (h *handler) removeConnection(c call) (answer, error) {
	placed, err := h.app.Collections.Connection(c.ctx, c.who, domain.ConnectionID(c.id(1)))
	if err != nil {
		return nil, err
	}
	ch, err := h.app.Collections.Channel(c.ctx, c.who, c.ref(0))
	if err != nil {
		return nil, err
	}
	if ch.ID != placed.ChannelID {
		return nil, domain.NewNotFound()
	}
	return nil, h.app.Collections.DeleteConnection(c.ctx, c.who, placed.ID)
}

func (h *handler) deleteConnection(c call) (answer, error) {
	return nil, h.app.Collections.DeleteConnection(c.ctx, c.who, domain.ConnectionID(c.id(0)))
}

// selectBlock selects or deselects a block in a channel.
func (h *handler) selectBlock(c call) (answer, error) {
	placed, err := h.app.Collections.SelectItem(c.ctx, c.who, c.ref(0), domain.BlockRef(domain.BlockID(c.id(1))))
	if err != nil {
		return nil, err
	}
	return h.shownConnection(c, placed)
}

func (h *handler) selectConnection(c call) (answer, error) {
	placed, err := h.app.Collections.Select(c.ctx, c.who, domain.ConnectionID(c.id(0)))
	if err != nil {
		return nil, err
	}
	return h.shownConnection(c, placed)
}

// shownConnection returns a connection and its item.
func (h *handler) shownConnection(c call, placed collections.PlacedConnection) (answer, error) {
	shown := collections.Content{Connection: placed.Connection}
	if placed.Item.Type == domain.ItemChannel {
		ch, err := h.app.Collections.Channel(c.ctx, c.who, domain.Ref{ID: placed.Item.ID})
		if err != nil {
			return nil, err
		}
		shown.Channel = &ch.Channel
		return h.shownItem(c, shown)
	}
	b, err := h.app.Collections.Block(c.ctx, c.who, domain.BlockID(placed.Item.ID))
	if err != nil {
		return nil, err
	}
	shown.Block = &b
	return h.shownItem(c, shown)
}

// updateBlock changes the given fields of a block.
func (h *handler) updateBlock(c call) (answer, error) {
	var in struct {
		Title       *string `json:"title"`
		Description *string `json:"description"`
		Content     *string `json:"content"`
	}
	if err := c.input(&in); err != nil {
		return nil, err
	}
	_, err := h.app.Collections.UpdateBlock(c.ctx, c.who, domain.BlockID(c.id(0)),
		collections.UpdateBlockInput{Title: in.Title, Description: in.Description, Content: in.Content})
	return nil, err
}

package ext

import (
	"context"

	"github.com/go-faster/jx"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// FilterChannelContents implements filterChannelContents.
func (h *handler) FilterChannelContents(ctx context.Context, p ext.FilterChannelContentsParams) (*ext.ItemList, error) {
	at := httpedge.Page(p.Page, p.Per)
	l, err := h.app.Finder.FilterContents(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), collections.FilterInput{
		Query: p.Query.Or(""), Types: httpedge.Types(p.Type), Page: at})
	if err != nil {
		return nil, err
	}
	out := &ext.ItemList{Data: make([]wire.JSON, len(l.Items)), Meta: meta(at, l.Total)}
	for i, content := range l.Items {
		out.Data[i] = withPage(h.item(content), h.pageOf(content))
	}
	return out, nil
}

// pageOf returns the URL of an item's page.
func (h *handler) pageOf(c collections.Content) string {
	if c.Channel != nil {
		return h.at.Channel(c.Channel).URL()
	}
	return h.at.Block(c.Block).URL()
}

// withPage encodes an item with the address of its page.
func withPage(item wire.Item, address string) wire.JSON {
	return withField(wire.Bytes(item), "web_url", address)
}

// withField adds a text field to a non-empty JSON object, which it overwrites.
func withField(object wire.JSON, name, value string) wire.JSON {
	var e jx.Encoder
	e.Str(name)
	field := e.String() + ":"
	e.Reset()
	e.Str(value)
	return append(append(object[:len(object)-1], ","+field+e.String()...), '}')
}

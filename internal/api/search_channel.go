package api

import (
	"context"

	"github.com/go-faster/jx"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// FilterChannelContents implements filterChannelContents.
func (h *handler) FilterChannelContents(ctx context.Context, p ext.FilterChannelContentsParams) (*ext.ItemList, error) {
	at := page(v3.OptInt64(p.Page), v3.OptInt64(p.Per))
	l, err := h.app.FilterContents(ctx, actor(ctx), domain.ParseRef(p.ID), app.FilterInput{
		Query: p.Query.Or(""), Types: types(p.Type), Page: at})
	if err != nil {
		return nil, err
	}
	w := h.contents(l, at)
	out := &ext.ItemList{Data: make([]wire.JSON, len(w.Data)), Meta: ext.PageMeta{
		CurrentPage: w.Meta.CurrentPage, PerPage: w.Meta.PerPage, TotalPages: w.Meta.TotalPages, TotalCount: w.Meta.TotalCount,
		HasMorePages: w.Meta.HasMorePages, NextPage: number(w.Meta.NextPage), PrevPage: number(w.Meta.PrevPage)}}
	for i, item := range w.Data {
		var e jx.Encoder
		item.Encode(&e)
		out.Data[i] = e.Bytes()
	}
	return out, nil
}

func number(n v3.OptNilInt64) ext.NilInt64 { return ext.NilInt64{Value: n.Value, Null: n.Null} }

package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// FilterInput asks for a page of what is in a channel. Query and Types narrow it, as in
// a search.
type FilterInput struct {
	Query string
	Types []string
	Page  domain.Page
}

// FilterContents lists what is in a channel, from the top, and is what is asked for.
func (a *App) FilterContents(ctx context.Context, actor domain.Actor, ref domain.Ref, in FilterInput) (l domain.List[Content], err error) {
	query := words.Parse(in.Query)
	if query.TooLong {
		return l, domain.NewInvalid("query: has too many words")
	}
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		conns, err := v.SearchChannel(ctx, store.SearchQuery{Viewer: actor.UserID, Words: query,
			Search: domain.Search{Query: in.Query, Types: in.Types, Channel: c.ID, Page: in.Page}})
		if err != nil {
			return err
		}
		l.Total = conns.Total
		l.Items, err = items(ctx, v, actor, conns.Items)
		return err
	})
	return l, err
}

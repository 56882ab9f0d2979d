package collections

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// FilterInput requests a page of a channel's contents that match Query and Types, as in a search.
type FilterInput struct {
	Query string
	Types []string
	Page  domain.Page
}

// FilterContents lists the matching contents of a channel, from the top.
func (a *Finder) FilterContents(ctx context.Context, actor domain.Actor, ref domain.Ref, in FilterInput) (l domain.List[Content], err error) {
	query := words.Parse(in.Query)
	var f domain.Faults
	checkItemTypes(&f, in.Types)
	search := domain.Search{Query: in.Query, Types: in.Types, Page: in.Page}
	if err := domain.JoinFaults(f.Err(), search.Validate(), tooManyWords(query)); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channels().Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		search.Channel = c.ID
		if some, err := applyOperators(ctx, v, actor, query.Filters, &search); !some || err != nil {
			return err
		}
		conns, err := v.SearchChannel(ctx, store.SearchQuery{Viewer: actor.UserID, Words: query, Search: search})
		if err != nil {
			return err
		}
		l.Total = conns.Total
		l.Items, err = Items(ctx, v.Queries, actor, conns.Items)
		return err
	})
	return l, err
}

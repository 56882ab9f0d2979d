package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// Found is something that a search or a list of mixed kinds gives: one of its fields is
// set.
type Found struct {
	Block   *domain.Block
	Channel *domain.Channel
	User    *domain.User
	Group   *domain.Group
}

// Search looks for what the actor may see (behaviour.md section 11). A seed of nil is the
// day's.
func (a *App) Search(ctx context.Context, actor domain.Actor, in domain.Search, seed *int64) (l domain.List[Found], err error) {
	if !domain.CanSearch(actor) {
		return l, domain.NewForbidden("Search requires the tier premium or supporter")
	}
	query := words.Parse(in.Query)
	if query.TooLong {
		return l, domain.NewInvalid("query: has too many words")
	}
	in.Seed = a.now().UTC().Unix() / (24 * 60 * 60)
	if seed != nil {
		in.Seed = *seed
	}
	return a.find(ctx, actor, func(ctx context.Context, v *store.Snapshot) (domain.List[domain.Subject], error) {
		return v.Search(ctx, store.SearchQuery{Search: in, Viewer: actor.UserID, Words: query})
	})
}

// MadeInput asks for a page of what somebody made. No Types means blocks and channels.
type MadeInput struct {
	Types []string
	Sort  domain.SearchSort
	Page  domain.Page
}

// UserContents lists the blocks and channels that a user made and the actor may see
// (behaviour.md section 13).
func (a *App) UserContents(ctx context.Context, actor domain.Actor, ref domain.Ref, in MadeInput) (domain.List[Found], error) {
	return a.find(ctx, actor, func(ctx context.Context, v *store.Snapshot) (l domain.List[domain.Subject], err error) {
		u, err := v.User(ctx, ref)
		if err != nil {
			return l, err
		}
		return v.OwnerContents(ctx, in.query(actor, domain.UserRef(u.ID)))
	})
}

// GroupContents lists the channels that a group owns and the actor may see, and the
// blocks in them.
func (a *App) GroupContents(ctx context.Context, actor domain.Actor, ref domain.Ref, in MadeInput) (domain.List[Found], error) {
	return a.find(ctx, actor, func(ctx context.Context, v *store.Snapshot) (l domain.List[domain.Subject], err error) {
		g, err := v.Group(ctx, actor.UserID, ref)
		if err != nil {
			return l, err
		}
		return v.OwnerContents(ctx, in.query(actor, domain.GroupRef(g.ID)))
	})
}

func (in MadeInput) query(actor domain.Actor, of domain.PrincipalRef) store.OwnerContentsQuery {
	return store.OwnerContentsQuery{Viewer: actor.UserID, Owner: of, Types: in.Types, Sort: in.Sort, Page: in.Page}
}

// find lists things, which are then read by a statement for each kind.
func (a *App) find(ctx context.Context, actor domain.Actor, list func(ctx context.Context, v *store.Snapshot) (domain.List[domain.Subject], error)) (l domain.List[Found], err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		refs, err := list(ctx, v)
		if err != nil {
			return err
		}
		l.Total = refs.Total
		l.Items, err = readFound(ctx, v, actor, refs.Items)
		return err
	})
	return l, err
}

// readFound reads what may be seen, in the order that is given.
func readFound(ctx context.Context, v *store.Snapshot, actor domain.Actor, refs []domain.Subject) ([]Found, error) {
	blocks, err := v.BlocksByID(ctx, foundIDs[domain.BlockID](refs, domain.SubjectBlock))
	if err != nil {
		return nil, err
	}
	channels, err := v.ChannelsByID(ctx, actor.UserID, foundIDs[domain.ChannelID](refs, domain.SubjectChannel))
	if err != nil {
		return nil, err
	}
	users, err := v.UsersByID(ctx, foundIDs[domain.UserID](refs, domain.SubjectUser))
	if err != nil {
		return nil, err
	}
	groups, err := v.GroupsByID(ctx, actor.UserID, foundIDs[domain.GroupID](refs, domain.SubjectGroup))
	if err != nil {
		return nil, err
	}
	all := make([]Found, 0, len(refs))
	for _, ref := range refs {
		var f Found
		switch ref.Type {
		case domain.SubjectBlock:
			f.Block = blocks[domain.BlockID(ref.ID)]
		case domain.SubjectChannel:
			f.Channel = found(channels, domain.ChannelID(ref.ID))
		case domain.SubjectUser:
			f.User = found(users, domain.UserID(ref.ID))
		case domain.SubjectGroup:
			f.Group = found(groups, domain.GroupID(ref.ID))
		}
		if f != (Found{}) { // nothing is shown of what is not there
			all = append(all, f)
		}
	}
	return all, nil
}

func foundIDs[T ~int64](refs []domain.Subject, kind domain.SubjectType) (ids []T) {
	for _, ref := range refs {
		if ref.Type == kind {
			ids = append(ids, T(ref.ID))
		}
	}
	return ids
}

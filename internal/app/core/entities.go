package core

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ReadEntities reads the visible things among refs, in the same order.
func ReadEntities(ctx context.Context, v *store.Snapshot, actor domain.Actor, refs []domain.Subject) ([]domain.Entity, error) {
	blocks, err := v.Blocks().BlocksByID(ctx, idsOfKind[domain.BlockID](refs, domain.SubjectBlock))
	if err != nil {
		return nil, err
	}
	return readEntities(ctx, v, actor, refs, func(id domain.BlockID) domain.Entity { return domain.Entity{Block: blocks[id]} })
}

// ReadOutlines is ReadEntities, but reads only the revisions of blocks. If a viewer is given, it omits the
// blocks of others whose content is pending or failed.
func ReadOutlines(ctx context.Context, v *store.Snapshot, actor domain.Actor, viewer *domain.Actor, refs []domain.Subject) ([]domain.Entity, error) {
	var own domain.UserID
	if viewer != nil {
		own = viewer.UserID
	}
	blocks, err := v.Blocks().BlockRevisions(ctx, own, idsOfKind[domain.BlockID](refs, domain.SubjectBlock), viewer != nil)
	if err != nil {
		return nil, err
	}
	return readEntities(ctx, v, actor, refs, func(id domain.BlockID) domain.Entity { return domain.Entity{Revision: Found(blocks, id)} })
}

// readEntities reads things other than blocks.
func readEntities(ctx context.Context, v *store.Snapshot, actor domain.Actor, refs []domain.Subject, block func(domain.BlockID) domain.Entity) ([]domain.Entity, error) {
	channels, err := v.Channels().ChannelsByID(ctx, actor.UserID, idsOfKind[domain.ChannelID](refs, domain.SubjectChannel))
	if err != nil {
		return nil, err
	}
	users, err := v.Users().UsersByID(ctx, idsOfKind[domain.UserID](refs, domain.SubjectUser))
	if err != nil {
		return nil, err
	}
	groups, err := v.Groups().GroupsByID(ctx, actor.UserID, idsOfKind[domain.GroupID](refs, domain.SubjectGroup))
	if err != nil {
		return nil, err
	}
	all := make([]domain.Entity, 0, len(refs))
	for _, ref := range refs {
		var t domain.Entity
		switch ref.Type {
		case domain.SubjectBlock:
			t = block(domain.BlockID(ref.ID))
		case domain.SubjectChannel:
			t.Channel = Found(channels, domain.ChannelID(ref.ID))
		case domain.SubjectUser:
			t.User = Found(users, domain.UserID(ref.ID))
		case domain.SubjectGroup:
			t.Group = Found(groups, domain.GroupID(ref.ID))
		}
		if t != (domain.Entity{}) { // skip deleted things
			all = append(all, t)
		}
	}
	return all, nil
}

func idsOfKind[T ~int64](refs []domain.Subject, kind domain.SubjectType) (ids []T) {
	for _, ref := range refs {
		if ref.Type == kind {
			ids = append(ids, T(ref.ID))
		}
	}
	return ids
}

// Found returns a pointer to a copy of the value of a key in a map, or nil.
func Found[K comparable, V any](in map[K]V, key K) *V {
	v, ok := in[key]
	if !ok {
		return nil
	}
	return &v
}

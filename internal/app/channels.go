package app

import (
	"context"
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// FullChannel is a channel with what only a full resource shows.
type FullChannel struct {
	domain.Channel
	Collaborators []domain.Principal
}

// Channel reads a channel.
func (a *App) Channel(ctx context.Context, actor domain.Actor, ref domain.Ref) (full FullChannel, err error) {
	c, err := a.store.Channel(ctx, actor.UserID, ref)
	if err != nil || c.Collaborators == 0 {
		return FullChannel{Channel: c}, err
	}
	// The collaborators take a second statement, which has to see the same state: mostly it
	// does, and else all is read again in a snapshot.
	full.Channel = c
	var same bool
	if full.Collaborators, same, err = a.store.CollaboratorsOf(ctx, c); err != nil || same {
		return full, err
	}
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		full, err = fullChannel(ctx, v.Queries, actor, ref)
		return err
	})
	return full, err
}

func fullChannel(ctx context.Context, q store.Queries, actor domain.Actor, ref domain.Ref) (FullChannel, error) {
	c, err := q.Channel(ctx, actor.UserID, ref)
	if err != nil {
		return FullChannel{}, err
	}
	full := FullChannel{Channel: c}
	if c.Collaborators > 0 {
		full.Collaborators, err = q.Collaborators(ctx, c.ID)
	}
	return full, err
}

// CreateChannelInput is a channel to make. Owner nil means the actor.
type CreateChannelInput struct {
	Title       string
	Description *string
	Visibility  domain.Visibility
	Owner       *domain.PrincipalRef
	Metadata    []byte // JSON object, or nil
}

// CreateChannel makes a channel (behaviour.md section 4).
func (a *App) CreateChannel(ctx context.Context, actor domain.Actor, in CreateChannelInput) (full FullChannel, err error) {
	n := store.NewChannel{Description: rendered(in.Description), Visibility: in.Visibility,
		UserID: actor.UserID, Owner: domain.UserRef(actor.UserID), Now: a.now()}
	var blank error
	n.Title, blank = title("title", in.Title)
	n.Metadata, err = newMetadata("metadata", in.Metadata)
	if err := together(err, blank); err != nil {
		return full, err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockSources(ctx, sourceOf(domain.UserRef(actor.UserID))); err != nil {
			return err
		}
		if in.Owner != nil {
			if err := mayHandTo(ctx, tx, actor, *in.Owner); err != nil {
				return err
			}
			n.Owner = *in.Owner
		}
		if n.Slug, err = newChannelSlug(ctx, tx, n.Title, n.Visibility, n.Now); err != nil {
			return err
		}
		id, err := tx.CreateChannel(ctx, n)
		if err != nil {
			return err
		}
		if full, err = fullChannel(ctx, tx.Queries, actor, domain.Ref{ID: int64(id)}); err != nil {
			return err
		}
		_, err = tx.RecordAll(ctx, newsOfChannel(actor, full.Channel, n.Now)...)
		return err
	})
	return full, err
}

// mayHandTo refuses owners that are neither the actor nor one of their groups.
func mayHandTo(ctx context.Context, tx *store.Tx, actor domain.Actor, owner domain.PrincipalRef) error {
	if owner == domain.UserRef(actor.UserID) {
		return nil
	}
	if owner.Type == domain.TypeGroup {
		member, err := lockMember(ctx, tx, domain.GroupID(owner.ID), actor.UserID)
		if err != nil || member {
			return err
		}
	}
	return forbidden("give a channel to anyone but yourself or one of your groups")
}

// lockMember locks a group, so that it is there when the channel is, and reports whether
// a user belongs to it.
func lockMember(ctx context.Context, tx *store.Tx, group domain.GroupID, user domain.UserID) (bool, error) {
	err := tx.LockGroup(ctx, group)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return tx.IsMember(ctx, group, user)
}

// UpdateChannelInput is a change of the fields that are given.
type UpdateChannelInput struct {
	Title       *string
	Description Patch
	Visibility  *domain.Visibility
	Owner       *domain.PrincipalRef
	Metadata    []byte // JSON object to merge, or nil
}

// UpdateChannel changes a channel (behaviour.md section 4). Collaborators may change its
// words and metadata; visibility and owner are the owner's alone.
func (a *App) UpdateChannel(ctx context.Context, actor domain.Actor, ref domain.Ref, in UpdateChannelInput) (full FullChannel, err error) {
	now := a.now()
	description := rendered(in.Description.Value)
	lock := lockedChannel
	if in.Visibility != nil {
		lock = lockedWithParents
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		was, err := lock(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanUpdate(actor, was) {
			return forbidden("change this channel")
		}
		c := was
		if in.Description.Set {
			replace(&c.Description, description)
		}
		if err := own(ctx, tx, actor, &c, in); err != nil {
			return err
		}
		if c.Metadata, err = mergedMetadata(c.Metadata, in.Metadata); err != nil {
			return err
		}
		if in.Title != nil {
			if c.Title, err = title("title", *in.Title); err != nil {
				return err
			}
		}
		if c.Title != was.Title || c.Visibility != was.Visibility {
			if c.Slug, err = channelSlug(ctx, tx, was, c, now); err != nil {
				return err
			}
		}
		if c == was { // no change, and so none of updated_at
			full, err = fullChannel(ctx, tx.Queries, actor, domain.Ref{ID: int64(c.ID)})
			return err
		}
		if err := tx.UpdateChannel(ctx, was, c, now); err != nil {
			return err
		}
		if c.Owner.PrincipalRef != was.Owner.PrincipalRef {
			if _, err := tx.RemoveCollaborator(ctx, c.ID, c.Owner.PrincipalRef); err != nil {
				return err
			}
		}
		full, err = fullChannel(ctx, tx.Queries, actor, domain.Ref{ID: int64(c.ID)})
		return err
	})
	return full, err
}

// own applies the part of an update that is the owner's alone.
func own(ctx context.Context, tx *store.Tx, actor domain.Actor, c *domain.Channel, in UpdateChannelInput) error {
	visibility, owner := c.Visibility, c.Owner.PrincipalRef
	if in.Visibility != nil {
		visibility = *in.Visibility
	}
	if in.Owner != nil {
		owner = *in.Owner
	}
	if visibility == c.Visibility && owner == c.Owner.PrincipalRef {
		return nil
	}
	if !domain.CanOwn(actor, *c) {
		return forbidden("change the visibility or the owner of this channel")
	}
	if owner != c.Owner.PrincipalRef {
		if err := tx.LockOwners(ctx, c.Owner.PrincipalRef, owner); err != nil { // both, in their order
			return err
		}
		if err := mayHandTo(ctx, tx, actor, owner); err != nil {
			return err
		}
	}
	c.Visibility, c.Owner.PrincipalRef = visibility, owner
	return nil
}

// DeleteChannel deletes a channel (behaviour.md section 4).
func (a *App) DeleteChannel(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := lockedWithParents(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwn(actor, c) {
			return forbidden("delete this channel")
		}
		return tx.DeleteChannel(ctx, c, a.now())
	})
}

// lockedChannel locks a channel that the actor sees, and reads it as it then is. To those
// who do not see it it is NotFound, whoever holds the lock.
func lockedChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	return lockedBy(ctx, tx, actor, ref, func(id domain.ChannelID) error { return tx.LockChannels(ctx, id) })
}

// lockedWithParents does the same for a change that also concerns the channels it is in.
func lockedWithParents(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	return lockedBy(ctx, tx, actor, ref, func(id domain.ChannelID) error { return tx.LockWithParents(ctx, id) })
}

func lockedBy(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref, lock func(domain.ChannelID) error) (domain.Channel, error) {
	c, err := tx.Channel(ctx, actor.UserID, ref)
	if err != nil || !tx.Locks() {
		return c, err
	}
	if err := lock(c.ID); err != nil {
		return domain.Channel{}, err
	}
	return tx.Channel(ctx, actor.UserID, domain.Ref{ID: int64(c.ID)})
}

// newMetadata checks the metadata of something new, given in a field. There too much
// of it is the request's own fault, as no merge is (behaviour.md section 13).
func newMetadata(field string, patch []byte) (domain.Metadata, error) {
	if patch == nil {
		return "", nil
	}
	m, err := domain.MergeMetadata("", patch, false)
	if domain.KindOf(err) == domain.Unprocessable {
		err = domain.NewInvalid(fmt.Sprintf("%s: must be at most %d keys and %d KB of JSON", field, domain.MaxMetadataKeys, domain.MaxMetadataBytes/1024))
	}
	return m, err
}

// mergedMetadata merges a change into metadata; nil changes nothing.
func mergedMetadata(current domain.Metadata, patch []byte) (domain.Metadata, error) {
	if patch == nil {
		return current, nil
	}
	return domain.MergeMetadata(current, patch, true)
}

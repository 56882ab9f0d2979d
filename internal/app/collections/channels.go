package collections

import (
	"context"
	"fmt"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// FullChannel is a channel with the fields of the full representation.
type FullChannel struct {
	domain.Channel
	Collaborators []domain.Principal
}

// Channel reads a channel.
func (a *Collections) Channel(ctx context.Context, actor domain.Actor, ref domain.Ref) (full FullChannel, err error) {
	c, err := a.Store.Channels().Channel(ctx, actor.UserID, ref)
	if err != nil || c.Collaborators == 0 {
		return FullChannel{Channel: c}, err
	}
	// The collaborators need a second statement, which must read the same state. If the channel changed in between, both
	// are read again in a snapshot.
	full.Channel = c
	var same bool
	if full.Collaborators, same, err = a.Store.Membership().CollaboratorsOf(ctx, c); err != nil || same {
		return full, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		full, err = fullChannel(ctx, v.Queries, actor, ref)
		return err
	})
	return full, err
}

func fullChannel(ctx context.Context, q store.Queries, actor domain.Actor, ref domain.Ref) (FullChannel, error) {
	c, err := q.Channels().Channel(ctx, actor.UserID, ref)
	if err != nil {
		return FullChannel{}, err
	}
	full := FullChannel{Channel: c}
	if c.Collaborators > 0 {
		full.Collaborators, err = q.Membership().Collaborators(ctx, c.ID)
	}
	return full, err
}

// CreateChannelInput is a channel to create. The default visibility is closed, the default owner the actor.
type CreateChannelInput struct {
	Title       string
	Description *string
	Visibility  domain.Visibility
	Owner       *domain.PrincipalRef
	Metadata    []byte // JSON object, or nil
	Once        core.OnceKey
}

// Validate checks everything except the metadata, which is checked when it is parsed.
func (in CreateChannelInput) Validate() error {
	var f domain.Faults
	in.Once.Check(&f)
	f.RequiredTitle("title", in.Title)
	f.AnyText("description", in.Description, domain.MaxDescription)
	if in.Visibility != "" {
		checkVisibility(&f, in.Visibility)
	}
	checkOwner(&f, in.Owner)
	return f.Err()
}

func checkVisibility(f *domain.Faults, v domain.Visibility) {
	domain.Among(f, "visibility", v, domain.Public, domain.Private, domain.Closed)
}

// checkOwner checks the owner of a channel, if given.
func checkOwner(f *domain.Faults, owner *domain.PrincipalRef) {
	if owner != nil {
		domain.Among(f, "owner.type", owner.Type, domain.TypeUser, domain.TypeGroup)
		f.Positive("owner.id", owner.ID)
	}
}

// CreateChannel creates a channel (behaviour.md section 4).
func (a *Collections) CreateChannel(ctx context.Context, actor domain.Actor, in CreateChannelInput) (full FullChannel, err error) {
	metadata, err := newMetadata("metadata", in.Metadata)
	if err := domain.JoinFaults(err, in.Validate()); err != nil {
		return full, err
	}
	n := store.NewChannel{Title: domain.NameFrom(in.Title), Description: core.Rendered(in.Description), Visibility: in.Visibility,
		Metadata: metadata, UserID: actor.UserID, Owner: domain.UserRef(actor.UserID), Now: a.Now()}
	if n.Visibility == "" {
		n.Visibility = domain.Closed
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		id, again, err := core.Once(ctx, tx, actor.UserID, in.Once, string(domain.ItemChannel), n.Now, func() (int64, error) {
			id, err := createChannel(ctx, tx, actor, n, in.Owner)
			return int64(id), err
		})
		if err != nil {
			return err
		}
		if full, err = fullChannel(ctx, tx.Queries, actor, domain.Ref{ID: id}); err != nil || again {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, n.Now, domain.ChannelCreated{Channel: full.Channel})
	})
	return full, err
}

// createChannel stores a channel of the actor, or of an owner that the actor may name. The caller publishes it.
func createChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, n store.NewChannel, owner *domain.PrincipalRef) (id domain.ChannelID, err error) {
	if err := tx.Activity().LockSources(ctx, core.SourceOf(domain.UserRef(actor.UserID))); err != nil {
		return 0, err
	}
	if owner != nil {
		if err := mayHandTo(ctx, tx, actor, *owner); err != nil {
			return 0, err
		}
		n.Owner = *owner
	}
	if n.Slug, err = NewChannelSlug(ctx, tx, n.Title, n.Visibility, n.Now); err != nil {
		return 0, err
	}
	return tx.Channels().CreateChannel(ctx, n)
}

// mayHandTo refuses owners other than the actor and the actor's groups.
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
	return core.Forbidden("give a channel to anyone but yourself or one of your groups")
}

// lockMember locks a group, so that it exists when the channel is created, and reports whether a user is a member.
func lockMember(ctx context.Context, tx *store.Tx, group domain.GroupID, user domain.UserID) (bool, error) {
	err := tx.Groups().LockGroup(ctx, group)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return tx.Membership().IsMember(ctx, group, user)
}

// UpdateChannelInput changes the given fields.
type UpdateChannelInput struct {
	Title       *string
	Description core.Patch
	Visibility  *domain.Visibility
	Layout      *domain.Layout
	Snapshots   *domain.SnapshotPolicy
	Owner       *domain.PrincipalRef
	Metadata    []byte // JSON object to merge, or nil
	Seen        Seen   // the texts before the change, for title and description
	restoring   string // digest of the texts that an earlier version replaces; "" for other changes
}

// unseen returns a Conflict error if texts of a locked channel were changed after the user saw them.
func (in UpdateChannelInput) unseen(c domain.Channel) error {
	var f domain.Faults
	if in.Title != nil {
		in.Seen.compare(&f, "title", &c.Title, new(domain.NameFrom(*in.Title)))
	}
	if in.Description.Set {
		wanted := in.Description.Value
		if wanted == nil {
			wanted = new(string)
		}
		in.Seen.compare(&f, "description", markdown(c.Description), wanted)
	}
	if f == nil {
		return core.CheckReplaced(in.restoring, domain.TextsOfChannel(c))
	}
	return domain.NewConflict(f...)
}

// Validate checks everything except the metadata, which is checked when it is merged.
func (in UpdateChannelInput) Validate() error {
	var f domain.Faults
	if in.Title != nil {
		f.RequiredTitle("title", *in.Title)
	}
	f.AnyText("description", in.Description.Value, domain.MaxDescription)
	if in.Visibility != nil {
		checkVisibility(&f, *in.Visibility)
	}
	if in.Layout != nil {
		domain.Among(&f, "layout", *in.Layout, domain.Layouts()...)
	}
	if in.Snapshots != nil {
		domain.Among(&f, "snapshots", *in.Snapshots, domain.SnapshotPolicies()...)
	}
	checkOwner(&f, in.Owner)
	return f.Err()
}

// UpdateChannel changes a channel (behaviour.md section 4). Collaborators may change its texts and metadata. Only the
// owner may change its visibility, layout, owner, and when its pages are copied.
func (a *Collections) UpdateChannel(ctx context.Context, actor domain.Actor, ref domain.Ref, in UpdateChannelInput) (full FullChannel, err error) {
	if err := in.Validate(); err != nil {
		return full, err
	}
	now := a.Now()
	description := core.Rendered(in.Description.Value)
	lock := core.LockedChannel
	if in.Visibility != nil {
		lock = core.LockedWithParents
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		was, err := lock(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanUpdate(actor, was) {
			return core.Forbidden("change this channel")
		}
		if err := in.unseen(was); err != nil {
			return err
		}
		c := was
		if in.Description.Set {
			core.Replace(&c.Description, description)
		}
		if err := own(ctx, tx, actor, &c, in); err != nil {
			return err
		}
		if c.Metadata, err = mergedMetadata(c.Metadata, in.Metadata); err != nil {
			return err
		}
		if in.Title != nil {
			c.Title = domain.NameFrom(*in.Title)
		}
		if c.Title != was.Title || c.Visibility != was.Visibility {
			if c.Slug, err = channelSlug(ctx, tx, was, c, now); err != nil {
				return err
			}
		}
		if c == was { // nothing changed, so updated_at stays
			full, err = fullChannel(ctx, tx.Queries, actor, domain.Ref{ID: int64(c.ID)})
			return err
		}
		err = core.KeepVersion(ctx, tx, actor, domain.ChannelRef(c.ID).Subject(), domain.TextsOfChannel(was), domain.TextsOfChannel(c), in.restoring, now)
		if err != nil {
			return err
		}
		if err := tx.Channels().UpdateChannel(ctx, was, c, now); err != nil {
			return err
		}
		if c.Owner.PrincipalRef != was.Owner.PrincipalRef {
			if _, err := tx.Membership().RemoveCollaborator(ctx, c.ID, c.Owner.PrincipalRef); err != nil {
				return err
			}
		}
		if full, err = fullChannel(ctx, tx.Queries, actor, domain.Ref{ID: int64(c.ID)}); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.ChannelChanged{Was: was, Is: full.Channel})
	})
	return full, err
}

// own applies the part of an update that only the owner may make.
func own(ctx context.Context, tx *store.Tx, actor domain.Actor, c *domain.Channel, in UpdateChannelInput) error {
	visibility, owner := c.Visibility, c.Owner.PrincipalRef
	if in.Visibility != nil {
		visibility = *in.Visibility
	}
	if in.Layout != nil && in.Layout.Stored() != c.Layout {
		if !domain.CanOwn(actor, *c) {
			return core.Forbidden("change the layout of this channel")
		}
		c.Layout = in.Layout.Stored()
	}
	if in.Snapshots != nil && in.Snapshots.Stored() != c.Snapshots {
		if !domain.CanOwn(actor, *c) {
			return core.Forbidden("choose when pages of this channel are copied")
		}
		c.Snapshots = in.Snapshots.Stored()
	}
	if in.Owner != nil {
		owner = *in.Owner
	}
	if visibility == c.Visibility && owner == c.Owner.PrincipalRef {
		return nil
	}
	if !domain.CanOwn(actor, *c) {
		return core.Forbidden("change the visibility or the owner of this channel")
	}
	if owner != c.Owner.PrincipalRef {
		if err := tx.Principals().LockOwners(ctx, c.Owner.PrincipalRef, owner); err != nil { // both, in lock order
			return err
		}
		if err := mayHandTo(ctx, tx, actor, owner); err != nil {
			return err
		}
	}
	if visibility != c.Visibility && c.Visibility == domain.Private {
		if err := refuseHidden(ctx, tx, c.ID); err != nil {
			return err
		}
	}
	c.Visibility, c.Owner.PrincipalRef = visibility, owner
	return nil
}

// refuseHidden returns Forbidden if operators have hidden a locked channel.
func refuseHidden(ctx context.Context, tx *store.Tx, id domain.ChannelID) error {
	hidden, err := isHidden(ctx, tx, domain.Subject{Type: domain.SubjectChannel, ID: int64(id)})
	if err == nil && hidden {
		err = domain.NewForbidden("Whoever runs this site has hidden this channel: it stays private")
	}
	return err
}

// DeleteChannel moves a channel to Trash (behaviour.md section 4).
func (a *Collections) DeleteChannel(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := core.LockedWithParents(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwn(actor, c) {
			return core.Forbidden("delete this channel")
		}
		if err := a.keepChannel(ctx, tx, actor, c); err != nil {
			return err
		}
		now := a.Now()
		if err := tx.Channels().DeleteChannel(ctx, c, now); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.ChannelDeleted{Channel: c})
	})
}

// newMetadata checks the metadata of a new thing. Too much of it is a fault of the field, unlike in a merge
// (behaviour.md section 13).
func newMetadata(field string, patch []byte) (domain.Metadata, error) {
	if patch == nil {
		return "", nil
	}
	m, err := domain.MergeMetadata("", patch, false)
	if domain.KindOf(err) == domain.Unprocessable {
		err = domain.InvalidField(field, domain.FieldTooLong,
			fmt.Sprintf("must be at most %d keys and %d KB of JSON", domain.MaxMetadataKeys, domain.MaxMetadataBytes/1024))
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

package people

import (
	"context"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Group reads a group.
func (a *People) Group(ctx context.Context, actor domain.Actor, ref domain.Ref) (domain.Group, error) {
	return a.Store.Groups().Group(ctx, actor.UserID, ref)
}

// UserGroups lists the groups that a user owns or has joined.
func (a *People) UserGroups(ctx context.Context, actor domain.Actor, ref domain.Ref, sort domain.GroupSort, page domain.Page) (l domain.List[domain.Group], err error) {
	var f domain.Faults
	f.Sort(int(sort.Key), int(domain.GroupsByUpdated))
	if err := domain.JoinFaults(f.Err(), page.Validate()); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		u, err := v.Users().User(ctx, ref)
		if err != nil {
			return err
		}
		l, err = v.Groups().UserGroups(ctx, store.UserGroupsQuery{Viewer: actor.UserID, User: u.ID, Sort: sort, Page: page})
		return err
	})
	return l, err
}

// CreateGroupInput is a group to create. Avatar is the URL of a picture, or an upload. A repetition with the same key in
// Once returns the existing group.
type CreateGroupInput struct {
	Name        string
	Description *string
	Avatar      *string
	Once        core.OnceKey
}

// Validate checks everything except the upload that an avatar may name.
func (in CreateGroupInput) Validate() error {
	var f domain.Faults
	in.Once.Check(&f)
	content.CheckAvatar(&f, in.Avatar)
	f.RequiredName("name", in.Name)
	f.AnyText("description", in.Description, domain.MaxDescription)
	return f.Err()
}

// CreateGroup creates a group that the actor owns.
func (a *People) CreateGroup(ctx context.Context, actor domain.Actor, in CreateGroupInput) (g domain.Group, err error) {
	avatar, err := a.content.AvatarWanted(ctx, actor, in.Avatar, in.Validate())
	if err != nil {
		return g, err
	}
	n := store.NewGroup{Name: domain.CleanName(in.Name), Description: core.Rendered(in.Description), Owner: actor.UserID, Now: a.Now()}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		id, _, err := core.Once(ctx, tx, actor.UserID, in.Once, string(domain.TypeGroup), n.Now, func() (int64, error) {
			if n.Slug, err = tx.Slugs().SlugFor(ctx, store.GroupSlug, n.Name, n.Now); err != nil {
				return 0, err
			}
			id, err := tx.Groups().CreateGroup(ctx, n)
			if err != nil {
				return 0, err
			}
			if in.Avatar != nil {
				if err := content.RequestAvatar(ctx, tx, actor.UserID, domain.GroupRef(id), avatar, n.Now); err != nil {
					return 0, err
				}
			}
			return int64(id), core.Publish(ctx, tx, actor.UserID, n.Now, domain.GroupCreated{Group: id})
		})
		if err != nil {
			return err
		}
		g, err = tx.Groups().Group(ctx, actor.UserID, domain.Ref{ID: id})
		return err
	})
	return g, err
}

// UpdateGroupInput changes the given fields.
type UpdateGroupInput struct {
	Name        *string
	Description core.Patch
	Avatar      core.Patch // URL of a picture, or an upload

	restoring string // digest of the texts that an earlier version replaces; "" for other changes
}

// Validate checks everything except the upload that an avatar may name.
func (in UpdateGroupInput) Validate() error {
	var f domain.Faults
	content.CheckAvatar(&f, in.Avatar.Value)
	if in.Name != nil {
		f.RequiredName("name", *in.Name)
	}
	f.AnyText("description", in.Description.Value, domain.MaxDescription)
	return f.Err()
}

// UpdateGroup changes a group of the actor.
func (a *People) UpdateGroup(ctx context.Context, actor domain.Actor, ref domain.Ref, in UpdateGroupInput) (g domain.Group, err error) {
	avatar, err := a.content.AvatarWanted(ctx, actor, in.Avatar.Value, in.Validate())
	if err != nil {
		return g, err
	}
	now, description := a.Now(), core.Rendered(in.Description.Value)
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		was, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwnGroup(actor, was) {
			return core.Forbidden("change this group")
		}
		if err := core.CheckReplaced(in.restoring, domain.TextsOfGroup(was)); err != nil {
			return err
		}
		g = was
		if in.Description.Set {
			g.Description = description
		}
		if in.Avatar.Set {
			if err := content.RequestAvatar(ctx, tx, actor.UserID, domain.GroupRef(g.ID), avatar, now); err != nil {
				return err
			}
		}
		if in.Name != nil {
			g.Name = domain.CleanName(*in.Name)
			if g.Slug, err = core.Reslug(ctx, tx, core.Named{Kind: store.GroupSlug, ID: int64(was.ID), Name: was.Name, Slug: was.Slug}, g.Name, now); err != nil {
				return err
			}
		}
		err = core.KeepVersion(ctx, tx, actor, core.SourceOf(domain.GroupRef(g.ID)), domain.TextsOfGroup(was), domain.TextsOfGroup(g), in.restoring, now)
		if err != nil {
			return err
		}
		if err := tx.Groups().UpdateGroup(ctx, was, g, now); err != nil {
			return err
		}
		if g, err = tx.Groups().Group(ctx, actor.UserID, domain.Ref{ID: int64(g.ID)}); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.GroupChanged{Group: g.ID, Was: was, Is: g})
	})
	return g, err
}

// EndedGroup is the job that deletes the remaining data of a deleted group.
type EndedGroup = store.EndedGroup

// EndGroupItems deletes some data of a deleted group and leaves the rest to another job. Running it again changes
// nothing.
func (a *People) EndGroupItems(ctx context.Context, id domain.GroupID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Groups().EndGroupItems(ctx, id) })
}

// DeleteGroup deletes a group of the actor, who gets its channels (behaviour.md section 6).
func (a *People) DeleteGroup(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		g, err := tx.Groups().Group(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwnGroup(actor, g) { // checked before locking, so that others cannot make it lock everything
			return core.Forbidden("delete this group")
		}
		if err := tx.Groups().LockGroupWithChannels(ctx, g.ID); err != nil {
			return err
		}
		if g, err = tx.Groups().Group(ctx, actor.UserID, domain.Ref{ID: int64(g.ID)}); err != nil {
			return err
		}
		now := a.Now()
		if err := tx.Groups().DeleteGroup(ctx, g, now); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.GroupDeleted{Group: g.ID})
	})
}

// lockedGroup locks a group and reads its current state.
func lockedGroup(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Group, error) {
	id, err := tx.Groups().ResolveGroup(ctx, ref)
	if err != nil {
		return domain.Group{}, err
	}
	if err := tx.Groups().LockGroup(ctx, id); err != nil {
		return domain.Group{}, err
	}
	return tx.Groups().Group(ctx, actor.UserID, domain.Ref{ID: int64(id)})
}

// GroupsByID reads groups, with the actor's role in each, in one statement.
func (a *People) GroupsByID(ctx context.Context, actor domain.Actor, ids []domain.GroupID) (map[domain.GroupID]domain.Group, error) {
	return a.Store.Groups().GroupsByID(ctx, actor.UserID, ids)
}

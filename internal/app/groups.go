package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Group reads a group.
func (a *App) Group(ctx context.Context, actor domain.Actor, ref domain.Ref) (domain.Group, error) {
	return a.store.Group(ctx, actor.UserID, ref)
}

// UserGroups lists the groups that a user owns or has joined.
func (a *App) UserGroups(ctx context.Context, actor domain.Actor, ref domain.Ref, sort domain.GroupSort, page domain.Page) (l domain.List[domain.Group], err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		u, err := v.User(ctx, ref)
		if err != nil {
			return err
		}
		l, err = v.UserGroups(ctx, store.UserGroupsQuery{Viewer: actor.UserID, User: u.ID, Sort: sort, Page: page})
		return err
	})
	return l, err
}

// CreateGroupInput is a group to make. Avatar is the address of a picture, or an upload.
type CreateGroupInput struct {
	Name        string
	Description *string
	Avatar      *string
}

// CreateGroup makes a group that the actor owns.
func (a *App) CreateGroup(ctx context.Context, actor domain.Actor, in CreateGroupInput) (g domain.Group, err error) {
	n := store.NewGroup{Description: rendered(in.Description), Owner: actor.UserID, Now: a.now()}
	var blank error
	n.Name, blank = title("name", in.Name)
	avatar, err := a.avatarWanted(ctx, actor, in.Avatar)
	if err := together(err, blank); err != nil {
		return g, err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if n.Slug, err = tx.SlugFor(ctx, store.GroupSlug, n.Name, n.Now); err != nil {
			return err
		}
		id, err := tx.CreateGroup(ctx, n)
		if err != nil {
			return err
		}
		if in.Avatar != nil {
			if err := wishAvatar(ctx, tx, actor.UserID, domain.GroupRef(id), avatar, n.Now); err != nil {
				return err
			}
		}
		g, err = tx.Group(ctx, actor.UserID, domain.Ref{ID: int64(id)})
		return err
	})
	return g, err
}

// UpdateGroupInput is a change of the fields that are given.
type UpdateGroupInput struct {
	Name        *string
	Description Patch
	Avatar      *string
}

// UpdateGroup changes a group. Its owner may.
func (a *App) UpdateGroup(ctx context.Context, actor domain.Actor, ref domain.Ref, in UpdateGroupInput) (g domain.Group, err error) {
	now, description := a.now(), rendered(in.Description.Value)
	avatar, err := a.avatarWanted(ctx, actor, in.Avatar)
	if err := together(err, filled("name", in.Name)); err != nil {
		return g, err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		was, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwnGroup(actor, was) {
			return forbidden("change this group")
		}
		g = was
		if in.Description.Set {
			g.Description = description
		}
		if in.Avatar != nil {
			if err := wishAvatar(ctx, tx, actor.UserID, domain.GroupRef(g.ID), avatar, now); err != nil {
				return err
			}
		}
		if in.Name != nil {
			if g.Name, err = title("name", *in.Name); err != nil {
				return err
			}
			if g.Slug, err = reslug(ctx, tx, named{store.GroupSlug, int64(was.ID), was.Name, was.Slug}, g.Name, now); err != nil {
				return err
			}
		}
		if err := tx.UpdateGroup(ctx, was, g, now); err != nil {
			return err
		}
		g, err = tx.Group(ctx, actor.UserID, domain.Ref{ID: int64(g.ID)})
		return err
	})
	return g, err
}

// EndedGroup is the job that forgets what a deleted group had.
type EndedGroup = store.EndedGroup

// EndGroupItems forgets some of what a deleted group had, and leaves the rest to a further
// job. A second time changes nothing.
func (a *App) EndGroupItems(ctx context.Context, id domain.GroupID) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error { return tx.EndGroupItems(ctx, id) })
}

// DeleteGroup deletes a group. Its owner may, and gets its channels
// (behaviour.md section 6).
func (a *App) DeleteGroup(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		g, err := tx.Group(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwnGroup(actor, g) { // asked first: others must not make it lock everything
			return forbidden("delete this group")
		}
		if err := tx.LockGroupWithChannels(ctx, g.ID); err != nil {
			return err
		}
		if g, err = tx.Group(ctx, actor.UserID, domain.Ref{ID: int64(g.ID)}); err != nil {
			return err
		}
		return tx.DeleteGroup(ctx, g, a.now())
	})
}

// lockedGroup locks a group and reads it as it then is.
func lockedGroup(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Group, error) {
	id, err := tx.ResolveGroup(ctx, ref)
	if err != nil {
		return domain.Group{}, err
	}
	if err := tx.LockGroup(ctx, id); err != nil {
		return domain.Group{}, err
	}
	return tx.Group(ctx, actor.UserID, domain.Ref{ID: int64(id)})
}

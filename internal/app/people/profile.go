package people

import (
	"context"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// User reads a user.
func (a *People) User(ctx context.Context, ref domain.Ref) (domain.User, error) {
	return a.Store.Users().User(ctx, ref)
}

// Me reads the signed-in user, with the number of unread notifications that they may see.
func (a *People) Me(ctx context.Context, actor domain.Actor) (u domain.User, err error) {
	if !actor.SignedIn() {
		return u, domain.NewUnauthenticated("A user's token is required")
	}
	u, err = a.Store.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err == nil && u.Unread > 0 {
		u.Unread, err = a.unread(ctx, actor.UserID, maxScanned)
	}
	return u, err
}

// Users lists up to limit users by id, starting after the given one.
func (a *People) Users(ctx context.Context, after domain.UserID, limit int) ([]domain.User, error) {
	return a.Store.Users().Users(ctx, after, limit)
}

// UpdateMeInput changes the given fields.
type UpdateMeInput struct {
	Name   *string
	Bio    core.Patch
	Avatar core.Patch // URL of a picture, or an upload

	restoring string // digest of the texts that an earlier version replaces; "" for other changes
}

// Validate checks everything except the upload that an avatar may name.
func (in UpdateMeInput) Validate() error {
	var f domain.Faults
	content.CheckAvatar(&f, in.Avatar.Value)
	if in.Name != nil {
		f.RequiredName("name", *in.Name)
	}
	f.AnyText("bio", in.Bio.Value, domain.MaxDescription)
	return f.Err()
}

// UpdateMe changes the actor's profile. The slug stays.
func (a *People) UpdateMe(ctx context.Context, actor domain.Actor, in UpdateMeInput) (domain.User, error) {
	avatar, err := a.content.AvatarWanted(ctx, actor, in.Avatar.Value, in.Validate())
	if err != nil {
		return domain.User{}, err
	}
	bio := core.Rendered(in.Bio.Value)
	return a.ChangeUser(ctx, domain.Ref{ID: int64(actor.UserID)}, func(tx *store.Tx, u domain.User) error {
		was := u
		if err := core.CheckReplaced(in.restoring, domain.TextsOfUser(was)); err != nil {
			return err
		}
		if in.Name != nil {
			u.Name = domain.CleanName(*in.Name)
		}
		if in.Bio.Set {
			u.Bio = bio
		}
		if in.Avatar.Set {
			if err := content.RequestAvatar(ctx, tx, actor.UserID, domain.UserRef(u.ID), avatar, a.Now()); err != nil {
				return err
			}
		}
		now := a.Now()
		err := core.KeepVersion(ctx, tx, actor, core.SourceOf(domain.UserRef(u.ID)), domain.TextsOfUser(was), domain.TextsOfUser(u), in.restoring, now)
		if err != nil {
			return err
		}
		if err := tx.Users().UpdateProfile(ctx, was, u, now); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.UserChanged{User: u.ID, Was: was, Is: u})
	})
}

// UsersByID reads the users on a page in one statement. It includes deleted accounts, which only have an id.
func (a *People) UsersByID(ctx context.Context, ids []domain.UserID) (map[domain.UserID]domain.User, error) {
	return a.Store.Users().UsersByID(ctx, ids)
}

package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// GrantAvatar is the job that gets the picture of a user or group.
type GrantAvatar struct {
	OwnerType domain.PrincipalType `json:"owner_type"`
	OwnerID   int64                `json:"owner_id"`
	N         int64                `json:"n"`
}

// Kind implements jobs.Args.
func (GrantAvatar) Kind() string { return "grant_avatar" }

// Class implements jobs.Classed.
func (GrantAvatar) Class() jobs.Class { return jobs.Content }

// avatarVersion is the resized version that is shown of a picture.
const avatarVersion = "square" + domain.Double

// avatarWanted checks the address of a picture, or the upload that it names, before a
// transaction; nil takes the picture back.
func (a *App) avatarWanted(ctx context.Context, actor domain.Actor, address *string) (w store.AvatarWish, err error) {
	if address == nil {
		return w, nil
	}
	link, ok := absoluteURL(*address)
	if !ok {
		return w, domain.NewInvalid("avatar_url: must be an absolute http(s) address")
	}
	if err := noCredentials("avatar_url", &link); err != nil {
		return w, err
	}
	upload, named, err := a.uploadNamed(ctx, actor, "avatar_url", link)
	if named || err != nil {
		w.Upload = upload.ID
		return w, err
	}
	w.URL = link
	return w, nil
}

// wishAvatar has an owner show a picture once it has been got, or nothing from now on, as
// a user wishes.
func wishAvatar(ctx context.Context, tx *store.Tx, by domain.UserID, owner domain.PrincipalRef, w store.AvatarWish, now time.Time) error {
	w.Owner = owner
	if err := keepUpload(ctx, tx, "avatar_url", w.Upload); err != nil {
		return err
	}
	n, err := tx.WishAvatar(ctx, w, now)
	if err != nil {
		return err
	}
	if w.URL == "" && w.Upload == 0 {
		return tx.SetAvatar(ctx, owner, nil, now)
	}
	return tx.Enqueue(ctx, GrantAvatar{OwnerType: owner.Type, OwnerID: owner.ID, N: n}, jobs.Attempts(maxAttempts), jobs.For(int64(by)))
}

// GrantAvatar gets a picture and has its owner show it, unless they have wished for
// another meanwhile. One that cannot be got changes nothing.
func (a *App) GrantAvatar(ctx context.Context, owner domain.PrincipalRef, n int64) error {
	w, err := a.store.AvatarWish(ctx, owner, n)
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	payer, err := a.payer(ctx, owner)
	if err != nil {
		return gone(err)
	}
	in := a.newIntake(fmt.Sprintf("avatar:%s:%d", owner.Type, owner.ID), payer)
	defer in.release(ctx)
	made, err := in.avatarContent(ctx, w)
	if busy, ok := errors.AsType[*fetch.Error](err); ok && errors.Is(err, fetch.ErrBusy) {
		return jobs.Later(max(busy.RetryAfter, time.Second))
	}
	if errors.Is(err, errDiskLow) {
		return jobs.Outage(err, diskPause)
	}
	if err != nil {
		if _, lasting := explain(err); lasting {
			return jobs.Permanent(err)
		}
		return err
	}
	made.image.Owner = payer
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		// The upload first, as who wishes for a picture locks it and then the owner.
		if err := tx.UseUpload(ctx, w.Upload, a.now()); err != nil {
			return err
		}
		if err := tx.LockAvatarWish(ctx, owner, n); err != nil {
			return err
		}
		if err := in.settle(ctx, tx, made.image); err != nil {
			return err
		}
		if _, err := tx.AddFile(ctx, *made.image, a.now()); err != nil {
			return err
		}
		path := made.image.Key + "/" + made.image.Version(avatarVersion)
		if err := tx.SetAvatar(ctx, owner, &path, a.now()); err != nil {
			return err
		}
		return tx.AvatarGranted(ctx, owner, n)
	})
	if domain.KindOf(err) == domain.NotFound { // another was wished for, or the owner is gone
		return nil
	}
	return err
}

// payer is whose quota a picture counts against: a group's is its owner's.
func (a *App) payer(ctx context.Context, owner domain.PrincipalRef) (domain.UserID, error) {
	if owner.Type != domain.TypeGroup {
		return domain.UserID(owner.ID), nil
	}
	g, err := a.store.Group(ctx, 0, domain.Ref{ID: owner.ID})
	return domain.UserID(g.Owner.ID), err
}

// gone passes over what is not there.
func gone(err error) error {
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}

func (a *intake) avatarContent(ctx context.Context, w store.AvatarWish) (made content, err error) {
	if w.Upload != 0 {
		made, err = a.contentOfUpload(ctx, w.Upload)
	} else {
		made.kind = domain.ImageBlock
		made.image, err = a.previewAt(ctx, w.URL)
	}
	if err == nil && made.kind != domain.ImageBlock {
		err = &errUnavailable{reason: "The picture is no image"}
	}
	return made, err
}

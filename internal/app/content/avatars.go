package content

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// GrantAvatar is the job that fetches the picture of a user or group.
type GrantAvatar struct {
	OwnerType domain.PrincipalType `json:"owner_type"`
	OwnerID   int64                `json:"owner_id"`
	N         int64                `json:"n"`
}

// Kind implements jobs.Args.
func (GrantAvatar) Kind() string { return "grant_avatar" }

// Class implements jobs.Classed.
func (GrantAvatar) Class() jobs.Class { return jobs.Content }

// avatarVersion is the resized version that pages show as a picture.
var avatarVersion = domain.SquareImage.At2x()

// CheckAvatar checks the URL of a picture. nil is valid.
func CheckAvatar(f *domain.Faults, address *string) {
	if address != nil && *address != "" {
		core.CheckURL(f, "avatar_url", *address, domain.MaxURL)
	}
}

// AvatarWanted returns the choice of a picture by its address, which CheckAvatar accepted: an upload of the actor, or a
// URL on a site that is not blocked. nil removes the picture. Call it before the transaction. Faults of the address are
// added to invalid.
func (a *Content) AvatarWanted(ctx context.Context, actor domain.Actor, address *string, invalid error) (w store.AvatarRequest, err error) {
	link := core.OptionalURL(address)
	if link == nil {
		return w, invalid
	}
	upload, named, err := a.UploadNamed(ctx, actor, "avatar_url", *link)
	if named || err != nil {
		w.Upload = upload.ID
		return w, domain.JoinFaults(err, invalid)
	}
	w.URL = *link
	if invalid == nil {
		invalid = a.CheckSites(ctx, core.Link{Field: "avatar_url", Address: *link})
	}
	return w, invalid
}

// RequestAvatar records the picture that a user chose for an owner. It is shown once it has been fetched. An
// empty choice removes the current picture at once.
func RequestAvatar(ctx context.Context, tx *store.Tx, by domain.UserID, owner domain.PrincipalRef, w store.AvatarRequest, now time.Time) error {
	w.Owner = owner
	if err := keepUpload(ctx, tx, "avatar_url", w.Upload); err != nil {
		return err
	}
	n, err := tx.Avatars().RequestAvatar(ctx, w, now)
	if err != nil {
		return err
	}
	if w.URL == "" && w.Upload == 0 {
		return tx.Avatars().SetAvatar(ctx, owner, nil, now)
	}
	return tx.Enqueue(ctx, GrantAvatar{OwnerType: owner.Type, OwnerID: owner.ID, N: n}, jobs.Attempts(maxAttempts), jobs.For(int64(by)))
}

// GrantAvatar fetches a picture and sets it, unless another one was chosen in the meantime. If the picture cannot be
// fetched, nothing changes.
func (a *Content) GrantAvatar(ctx context.Context, owner domain.PrincipalRef, n int64) error {
	w, err := a.Store.Avatars().AvatarRequest(ctx, owner, n)
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
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		// Lock the upload first: choosing a picture locks the upload, then the owner.
		if err := tx.Blobs().UseUpload(ctx, w.Upload, a.Now()); err != nil {
			return err
		}
		if err := tx.Avatars().LockAvatarRequest(ctx, owner, n); err != nil {
			return err
		}
		if err := in.settle(ctx, tx, made.image); err != nil {
			return err
		}
		if _, err := tx.Blobs().AddFile(ctx, *made.image, a.Now()); err != nil {
			return err
		}
		path := made.image.Key + "/" + made.image.Version(avatarVersion)
		if err := tx.Avatars().SetAvatar(ctx, owner, &path, a.Now()); err != nil {
			return err
		}
		if err := tx.Avatars().AvatarGranted(ctx, owner, n); err != nil {
			return err
		}
		var shown domain.Event = domain.UserChanged{User: domain.UserID(owner.ID)}
		if owner.Type == domain.TypeGroup {
			shown = domain.GroupChanged{Group: domain.GroupID(owner.ID)}
		}
		return core.Publish(ctx, tx, payer, a.Now(), shown)
	})
	if domain.KindOf(err) == domain.NotFound { // another picture was chosen, or the owner was deleted
		return nil
	}
	return err
}

// payer returns the user whose quota a picture counts against. For a group this is its owner.
func (a *Content) payer(ctx context.Context, owner domain.PrincipalRef) (domain.UserID, error) {
	if owner.Type != domain.TypeGroup {
		return domain.UserID(owner.ID), nil
	}
	g, err := a.Store.Groups().Group(ctx, 0, domain.Ref{ID: owner.ID})
	return domain.UserID(g.Owner.ID), err
}

// gone turns NotFound into nil.
func gone(err error) error {
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}

func (a *intake) avatarContent(ctx context.Context, w store.AvatarRequest) (made content, err error) {
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

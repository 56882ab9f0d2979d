package core

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// KeepVersion stores the texts that a change of something locked replaces. The change itself sets the texts. restoring is the
// digest of the texts that an earlier version replaces, "" for other changes.
func KeepVersion(ctx context.Context, tx *store.Tx, actor domain.Actor, of domain.Subject, was, is domain.Texts, restoring string, now time.Time) error {
	if was.Digest() == is.Digest() {
		return nil
	}
	return tx.Versions().KeepVersion(ctx, of, actor.UserID, was, restoring != "", now)
}

// CheckReplaced returns a Conflict error if the texts that an earlier version is to replace are not those that the user saw.
func CheckReplaced(restoring string, stored domain.Texts) error {
	if restoring == "" || restoring == stored.Digest() {
		return nil
	}
	return domain.NewConflict(domain.FieldError{Path: "version", Code: domain.FieldIncorrect, Text: "the texts were changed in the meantime"})
}

// History contains the versions of the texts of something, the newest first. The first one is the current version.
type History struct {
	Versions []domain.TextVersion
	Texts    domain.Texts // the current ones
	of       domain.Subject
}

// ReadHistory lists the versions of something. A version is by the user who replaced the one before. So the oldest of those
// that follow on deleted ones, whose author is not known, is left out.
func ReadHistory(ctx context.Context, v *store.Snapshot, of domain.Subject, texts domain.Texts, creator domain.PrincipalRef, created time.Time) (h History, err error) {
	h = History{Texts: texts, of: of}
	rows, err := v.Versions().Versions(ctx, of)
	if err != nil {
		return h, err
	}
	refs := []domain.PrincipalRef{creator}
	for _, r := range rows {
		refs = append(refs, domain.UserRef(r.User))
	}
	by, err := v.Contents().PrincipalsByID(ctx, refs)
	if err != nil {
		return h, err
	}
	number := int64(1)
	if len(rows) > 0 {
		number = rows[0].Number + 1
	}
	for _, r := range rows {
		if number == r.Number+1 {
			h.Versions = append(h.Versions, domain.TextVersion{Number: number, By: by[domain.UserRef(r.User)], At: r.At})
		}
		number = r.Number
	}
	if number == 1 {
		h.Versions = append(h.Versions, domain.TextVersion{Number: 1, By: by[creator], At: created})
	}
	return h, nil
}

// version returns a version with its texts, and the texts of the version before it in the list, or nil. It returns
// NotFound if there is no such version.
func (h *History) version(ctx context.Context, v *store.Snapshot, number int64) (is domain.TextVersion, before *domain.Texts, err error) {
	for i, one := range h.Versions {
		if one.Number != number {
			continue
		}
		is, is.Texts = one, h.Texts
		if i > 0 {
			if is.Texts, err = v.Versions().VersionTexts(ctx, h.of, number); err != nil {
				return is, nil, err
			}
		}
		if i+1 < len(h.Versions) {
			was, err := v.Versions().VersionTexts(ctx, h.of, h.Versions[i+1].Number)
			return is, &was, err
		}
		return is, nil, nil
	}
	return is, nil, domain.NewNotFound()
}

// Versions reads a history in a snapshot.
func (a *Core) Versions(ctx context.Context, history func(*store.Snapshot) (History, error)) (h History, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		h, err = history(v)
		return err
	})
	return h, err
}

// Version reads a history and one of its versions, or the current one if number is 0, and the texts of the version before it.
func (a *Core) Version(ctx context.Context, number int64, history func(*store.Snapshot) (History, error)) (h History, is domain.TextVersion, before *domain.Texts, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if h, err = history(v); err != nil {
			return err
		}
		if number == 0 {
			number = h.Versions[0].Number
		}
		is, before, err = h.version(ctx, v, number)
		return err
	})
	return h, is, before, err
}

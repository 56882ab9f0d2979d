package store

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/sqlx"
)

// AvatarRequest is a requested avatar of a user or group that must still be fetched.
type AvatarRequest struct {
	Owner  domain.PrincipalRef
	N      int64           // grows with each request of the owner
	URL    string          // its source, or ""
	Upload domain.UploadID // or the upload with it
}

// RequestAvatar records a requested avatar, replacing an earlier request, and returns its number. It
// locks the owner, so that no avatar is set from an earlier request until the transaction ends.
func (w AvatarWrites) RequestAvatar(ctx context.Context, a AvatarRequest, now time.Time) (n int64, err error) {
	if w.tx.db.LocksRows() {
		if err := w.lockPrincipal(ctx, a.Owner); err != nil {
			return 0, err
		}
	}
	err = w.tx.db.QueryRow(ctx, `INSERT INTO avatar_wishes (owner_type, owner_id, n, url, upload_id, created_at)
		VALUES ($1, $2, 1, NULLIF($3, ''), NULLIF($4, 0), $5)
		ON CONFLICT (owner_type, owner_id) DO UPDATE SET n = avatar_wishes.n + 1, url = excluded.url,
			upload_id = excluded.upload_id, created_at = excluded.created_at
		RETURNING n`, a.Owner.Type, a.Owner.ID, a.URL, a.Upload, sqlx.Micros(now)).Scan(&n)
	return n, err
}

// AvatarRequest reads the request with a number. It returns NotFound if the request does not exist or
// a later one replaced it.
func (r AvatarReads) AvatarRequest(ctx context.Context, owner domain.PrincipalRef, n int64) (w AvatarRequest, err error) {
	w.Owner, w.N = owner, n
	err = r.q.db.QueryRow(ctx, `SELECT COALESCE(url, ''), COALESCE(upload_id, 0) FROM avatar_wishes
		WHERE owner_type = $1 AND owner_id = $2 AND n = $3 AND (url IS NOT NULL OR upload_id IS NOT NULL)`,
		owner.Type, owner.ID, n).Scan(&w.URL, &w.Upload)
	return w, sqlx.Found(err)
}

// LockAvatarRequest locks the owner of a request until the transaction ends. It returns NotFound if
// the request does not exist or a later one replaced it.
func (w AvatarWrites) LockAvatarRequest(ctx context.Context, owner domain.PrincipalRef, n int64) error {
	if w.tx.db.LocksRows() {
		if err := w.lockPrincipal(ctx, owner); err != nil {
			return err
		}
	}
	_, err := w.AvatarRequest(ctx, owner, n)
	return err
}

func (w AvatarWrites) lockPrincipal(ctx context.Context, ref domain.PrincipalRef) error {
	if ref.Type == domain.TypeGroup {
		return w.tx.Groups().LockGroup(ctx, domain.GroupID(ref.ID))
	}
	_, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, "SELECT u.id FROM users u WHERE u.id = $1"+w.tx.db.ForUpdate("u"), ref.ID))
	return sqlx.Found(err)
}

// SetAvatar sets the avatar to a file, by its path below the address of files, or to none, and
// deletes the previous file.
func (w AvatarWrites) SetAvatar(ctx context.Context, owner domain.PrincipalRef, avatar *string, now time.Time) error {
	table := "users"
	if owner.Type == domain.TypeGroup {
		table = "groups"
	}
	was, err := w.tx.Principals().Principal(ctx, owner)
	if err != nil {
		return err
	}
	if sameText(was.Avatar, avatar) {
		return nil
	}
	err = w.tx.db.ExecOne(ctx, "UPDATE "+table+` SET avatar = $2, version = version + 1, face_version = face_version + 1,
		updated_at = $3 WHERE id = $1`, owner.ID, avatar, sqlx.Micros(now))
	if err != nil {
		return err
	}
	if err := w.tx.documents().Touch(ctx, domain.SubjectType(owner.Type), owner.ID, now); err != nil {
		return err
	}
	return w.dropAvatar(ctx, was.Avatar)
}

// AvatarGranted records that a request was processed.
func (w AvatarWrites) AvatarGranted(ctx context.Context, owner domain.PrincipalRef, n int64) error {
	return w.tx.db.Exec(ctx, `UPDATE avatar_wishes SET url = NULL, upload_id = NULL
		WHERE owner_type = $1 AND owner_id = $2 AND n = $3`, owner.Type, owner.ID, n)
}

// dropAvatar deletes the file of an avatar.
func (w AvatarWrites) dropAvatar(ctx context.Context, avatar *string) error {
	if avatar == nil || strings.Contains(*avatar, "://") { // it is on another server
		return nil
	}
	key, _, _ := strings.Cut(*avatar, "/")
	return blobs.DeleteFile(ctx, w.tx.Blobs(), key)
}

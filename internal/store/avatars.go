package store

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/sqlx"
)

// AvatarWish is a picture that a user or group is to show, once it has been got.
type AvatarWish struct {
	Owner  domain.PrincipalRef
	N      int64           // grows with each wish of the owner
	URL    string          // where it is, or ""
	Upload domain.UploadID // or which one it is
}

// WishAvatar notes which picture an owner is to show, in place of an earlier wish, and
// gives its number. It locks the owner, so that no picture is set from an earlier wish
// until the transaction ends.
func (tx *Tx) WishAvatar(ctx context.Context, w AvatarWish, now time.Time) (n int64, err error) {
	if tx.db.LocksRows() {
		if err := tx.lockPrincipal(ctx, w.Owner); err != nil {
			return 0, err
		}
	}
	err = tx.db.QueryRow(ctx, `INSERT INTO avatar_wishes (owner_type, owner_id, n, url, upload_id, created_at)
		VALUES ($1, $2, 1, NULLIF($3, ''), NULLIF($4, 0), $5)
		ON CONFLICT (owner_type, owner_id) DO UPDATE SET n = avatar_wishes.n + 1, url = excluded.url,
			upload_id = excluded.upload_id, created_at = excluded.created_at
		RETURNING n`, w.Owner.Type, w.Owner.ID, w.URL, w.Upload, sqlx.Micros(now)).Scan(&n)
	return n, err
}

// AvatarWish reads the wish of a number; NotFound if there is a later one or none.
func (q Queries) AvatarWish(ctx context.Context, owner domain.PrincipalRef, n int64) (w AvatarWish, err error) {
	w.Owner, w.N = owner, n
	err = q.db.QueryRow(ctx, `SELECT COALESCE(url, ''), COALESCE(upload_id, 0) FROM avatar_wishes
		WHERE owner_type = $1 AND owner_id = $2 AND n = $3 AND (url IS NOT NULL OR upload_id IS NOT NULL)`,
		owner.Type, owner.ID, n).Scan(&w.URL, &w.Upload)
	return w, sqlx.Found(err)
}

// LockAvatarWish locks the owner of a wish and then the wish, until the transaction ends;
// NotFound if there is a later one or none.
func (tx *Tx) LockAvatarWish(ctx context.Context, owner domain.PrincipalRef, n int64) error {
	if tx.db.LocksRows() {
		if err := tx.lockPrincipal(ctx, owner); err != nil {
			return err
		}
	}
	_, err := tx.AvatarWish(ctx, owner, n)
	return err
}

func (tx *Tx) lockPrincipal(ctx context.Context, ref domain.PrincipalRef) error {
	if ref.Type == domain.TypeGroup {
		return tx.LockGroup(ctx, domain.GroupID(ref.ID))
	}
	_, err := sqlx.ScanInt64(tx.db.QueryRow(ctx, "SELECT u.id FROM users u WHERE u.id = $1"+tx.db.ForUpdate("u"), ref.ID))
	return sqlx.Found(err)
}

// SetAvatar shows a file, by its path below the address of files, or nothing, and
// removes the file that was shown.
func (tx *Tx) SetAvatar(ctx context.Context, owner domain.PrincipalRef, avatar *string, now time.Time) error {
	table := "users"
	if owner.Type == domain.TypeGroup {
		table = "groups"
	}
	was, err := tx.Principal(ctx, owner)
	if err != nil {
		return err
	}
	if sameText(was.Avatar, avatar) {
		return nil
	}
	err = tx.db.ExecOne(ctx, "UPDATE "+table+` SET avatar = $2, version = version + 1, face_version = face_version + 1,
		updated_at = $3 WHERE id = $1`, owner.ID, avatar, sqlx.Micros(now))
	if err != nil {
		return err
	}
	if err := tx.documents.Touch(ctx, domain.SubjectType(owner.Type), owner.ID, now); err != nil {
		return err
	}
	return tx.dropAvatar(ctx, was.Avatar)
}

// AvatarGranted notes that a wish has been dealt with.
func (tx *Tx) AvatarGranted(ctx context.Context, owner domain.PrincipalRef, n int64) error {
	return tx.db.Exec(ctx, `UPDATE avatar_wishes SET url = NULL, upload_id = NULL
		WHERE owner_type = $1 AND owner_id = $2 AND n = $3`, owner.Type, owner.ID, n)
}

// dropAvatar removes the file that was somebody's picture.
func (tx *Tx) dropAvatar(ctx context.Context, avatar *string) error {
	if avatar == nil || strings.Contains(*avatar, "://") { // of somebody else's server
		return nil
	}
	key, _, _ := strings.Cut(*avatar, "/")
	return blobs.DeleteFile(ctx, tx.blobWrites, key)
}

package store

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Principal reads the public data of a user or group. It returns NotFound if the account is
// deleted.
func (r PrincipalReads) Principal(ctx context.Context, ref domain.PrincipalRef) (domain.Principal, error) {
	table, live := "users", " AND deleted_at IS NULL"
	if ref.Type == domain.TypeGroup {
		table, live = "groups", ""
	}
	p := domain.Principal{PrincipalRef: ref}
	err := r.q.db.QueryRow(ctx, "SELECT name, slug, avatar, face_version FROM "+table+" WHERE id = $1"+live, ref.ID).
		Scan(&p.Name, &p.Slug, &p.Avatar, &p.Version)
	return p, sqlx.Found(err)
}

// bumpOwner adds to the counts of channels that an owner shows. Private channels do not change the
// version, which strangers could watch.
func (w PrincipalWrites) bumpOwner(ctx context.Context, owner domain.PrincipalRef, v domain.Visibility, by int64) error {
	table, set := "users", "open_channels = open_channels + $2, version = version + 1"
	if owner.Type == domain.TypeGroup {
		table = "groups"
	}
	if v == domain.Private {
		set = "private_channels = private_channels + $2"
	}
	query := "UPDATE " + table + " SET " + set + " WHERE id = $1"
	if owner.Type == domain.TypeUser && by > 0 {
		query += " AND deleted_at IS NULL" // a deleted account gets no channels
	}
	rows, err := w.tx.db.Query(ctx, query+" RETURNING id", owner.ID, by)
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err == nil && len(ids) == 0 {
		err = domain.NewNotFound()
	}
	return err
}

// handOver moves a channel between the counts of its owners before and after a change. Users are
// the last rows that a transaction locks, in the order of their ids; groups are already locked
// (LockOwners).
func (w PrincipalWrites) handOver(ctx context.Context, was, is domain.Channel) error {
	if was.Owner.PrincipalRef == is.Owner.PrincipalRef && was.Visibility == is.Visibility {
		return nil
	}
	first, second, by := was, is, int64(-1)
	if is.Owner.Type < was.Owner.Type || is.Owner.Type == was.Owner.Type && is.Owner.ID < was.Owner.ID {
		first, second, by = is, was, 1
	}
	if err := w.bumpOwner(ctx, first.Owner.PrincipalRef, first.Visibility, by); err != nil {
		return err
	}
	return w.bumpOwner(ctx, second.Owner.PrincipalRef, second.Visibility, -by)
}

// LockOwners locks the given owners of a channel, before and after a change, that are groups. It
// is called after locking channels and before blocks, which the change locks too.
func (w PrincipalWrites) LockOwners(ctx context.Context, owners ...domain.PrincipalRef) error {
	var groups []int64
	for _, o := range owners {
		if o.Type == domain.TypeGroup {
			groups = append(groups, o.ID)
		}
	}
	if !w.tx.db.LocksRows() || len(groups) == 0 {
		return nil
	}
	rows, err := w.tx.db.Query(ctx, "SELECT g.id FROM groups g WHERE "+w.tx.db.In("g.id", "$1")+" ORDER BY g.id"+w.tx.db.ForUpdate("g"), sqlx.IDs(w.tx.db.Dialect, groups))
	_, err = sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	return err
}

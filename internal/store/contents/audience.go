package contents

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// PrincipalsByID reads the public data of users and groups.
func (q Reads) PrincipalsByID(ctx context.Context, refs []domain.PrincipalRef) (map[domain.PrincipalRef]domain.Principal, error) {
	ids := map[domain.PrincipalType][]int64{}
	for _, r := range refs {
		ids[r.Type] = append(ids[r.Type], r.ID)
	}
	byRef := make(map[domain.PrincipalRef]domain.Principal, len(refs))
	for t, of := range ids {
		table := "users"
		if t == domain.TypeGroup {
			table = "groups"
		}
		rows, err := q.db.Query(ctx, "SELECT p.id, p.name, p.slug, p.avatar, p.face_version FROM "+table+
			" p WHERE "+q.db.In("p.id", "$1"), sqlx.IDs(q.db.Dialect, of))
		all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p domain.Principal, err error) {
			p.Type = t
			err = row.Scan(&p.ID, &p.Name, &p.Slug, &p.Avatar, &p.Version)
			return p, err
		})
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			byRef[p.PrincipalRef] = p
		}
	}
	return byRef, nil
}

// WhoSeesChannel returns those of the users who may see a channel.
func (q Reads) WhoSeesChannel(ctx context.Context, id domain.ChannelID, users []domain.UserID) ([]domain.UserID, error) {
	rows, err := q.db.Query(ctx, `SELECT u.id FROM users u JOIN channels ch ON ch.id = $1 WHERE `+q.db.In("u.id", "$2")+
		` AND `+access.AsViewer(access.VisibleChannel), id, sqlx.IDs(q.db.Dialect, users))
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
}

// WhoSeesBlock returns those of the users who may see a block.
func (q Reads) WhoSeesBlock(ctx context.Context, id domain.BlockID, users []domain.UserID) ([]domain.UserID, error) {
	rows, err := q.db.Query(ctx, `SELECT u.id FROM users u JOIN blocks b ON b.id = $1 WHERE `+q.db.In("u.id", "$2")+
		` AND `+access.AsViewer(access.VisibleBlock), id, sqlx.IDs(q.db.Dialect, users))
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
}

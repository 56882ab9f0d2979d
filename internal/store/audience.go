package store

import (
	"context"
	"strings"

	"vitrine/internal/domain"
)

// PrincipalsByID reads what is shown of users and groups.
func (q Queries) PrincipalsByID(ctx context.Context, refs []domain.PrincipalRef) (map[domain.PrincipalRef]domain.Principal, error) {
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
		rows, err := q.q.Query(ctx, "SELECT p.id, p.name, p.slug, p.avatar, p.face_version FROM "+table+
			" p WHERE "+q.d.in("p.id", "$1"), list(q.d, of))
		all, err := collect(ctx, rows, err, func(row scanner) (p domain.Principal, err error) {
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

// asViewer is a fragment of access.go with the users `u` as viewers.
func asViewer(fragment string) string { return strings.ReplaceAll(fragment, "$1", "u.id") }

func scanUserID(row scanner) (u domain.UserID, err error) {
	err = row.Scan(&u)
	return u, err
}

// WhoSeesChannel gives those of the users who may see a channel.
func (q Queries) WhoSeesChannel(ctx context.Context, id domain.ChannelID, users []domain.UserID) ([]domain.UserID, error) {
	rows, err := q.q.Query(ctx, `SELECT u.id FROM users u JOIN channels ch ON ch.id = $1 WHERE `+q.d.in("u.id", "$2")+
		` AND `+asViewer(visibleChannel), id, list(q.d, users))
	return collect(ctx, rows, err, scanUserID)
}

// WhoSeesBlock gives those of the users who may see a block.
func (q Queries) WhoSeesBlock(ctx context.Context, id domain.BlockID, users []domain.UserID) ([]domain.UserID, error) {
	rows, err := q.q.Query(ctx, `SELECT u.id FROM users u JOIN blocks b ON b.id = $1 WHERE `+q.d.in("u.id", "$2")+
		` AND `+asViewer(visibleBlock), id, list(q.d, users))
	return collect(ctx, rows, err, scanUserID)
}

// EldestMembers lists who is in a group, the longest-standing first.
func (q Queries) EldestMembers(ctx context.Context, id domain.GroupID, most int) ([]domain.UserID, error) {
	rows, err := q.q.Query(ctx, `SELECT user_id FROM group_members WHERE group_id = $1
		ORDER BY created_at, user_id LIMIT $2`, id, most)
	return collect(ctx, rows, err, scanUserID)
}

// LatestCommenters lists who commented on a block, each once, the last first.
func (q Queries) LatestCommenters(ctx context.Context, id domain.BlockID, most int) ([]domain.UserID, error) {
	rows, err := q.q.Query(ctx, `SELECT user_id FROM comments WHERE block_id = $1
		GROUP BY user_id ORDER BY max(created_at) DESC, user_id LIMIT $2`, id, most)
	return collect(ctx, rows, err, scanUserID)
}

package membership

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/sqlx"
)

// IsMember reports whether a user belongs to a group.
func (r Reads) IsMember(ctx context.Context, group domain.GroupID, user domain.UserID) (bool, error) {
	var n int
	err := r.db.QueryRow(ctx, "SELECT count(*) FROM group_members WHERE group_id = $1 AND user_id = $2", group, user).Scan(&n)
	return n > 0, err
}

// AddMember adds a user to a locked group and reports whether that is new.
func (w Writes) AddMember(ctx context.Context, group domain.GroupID, user domain.UserID, now time.Time) (bool, error) {
	n, err := w.db.ExecCount(ctx, `INSERT INTO group_members (group_id, user_id, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (group_id, user_id) DO NOTHING`, group, user, sqlx.Micros(now))
	if err != nil || n == 0 {
		return false, err
	}
	return true, w.bumpMembers(ctx, group, 1)
}

// RemoveMember removes a user from a locked group and reports whether they were in it.
func (w Writes) RemoveMember(ctx context.Context, group domain.GroupID, user domain.UserID) (bool, error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM group_members WHERE group_id = $1 AND user_id = $2`, group, user)
	if err != nil || n == 0 {
		return false, err
	}
	return true, w.bumpMembers(ctx, group, -1)
}

// MappedGroups lists the groups that a user belongs to because of a group at a single sign-on
// provider.
func (r Reads) MappedGroups(ctx context.Context, user domain.UserID) ([]domain.GroupID, error) {
	rows, err := r.db.Query(ctx, "SELECT group_id FROM group_members WHERE user_id = $1 AND mapped ORDER BY group_id", user)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.GroupID])
}

// MarkMapped records whether a membership of a locked group comes from a group of a provider.
func (w Writes) MarkMapped(ctx context.Context, group domain.GroupID, user domain.UserID, mapped bool) error {
	return w.db.Exec(ctx, "UPDATE group_members SET mapped = $3 WHERE group_id = $1 AND user_id = $2", group, user, mapped)
}

func (w Writes) bumpMembers(ctx context.Context, group domain.GroupID, by int64) error {
	return w.db.ExecOne(ctx, `UPDATE groups SET users_count = users_count + $2, version = version + 1 WHERE id = $1`, group, by)
}

// Members lists the members of a group: its owner first, then newest first.
func (r Lists) Members(ctx context.Context, g domain.Group, page domain.Page) (l domain.List[domain.Member], err error) {
	l.Total = g.Users
	if page.Offset() >= l.Total {
		return l, nil
	}
	// The owner is at offset 0 of the list, so all others are one position later than in the query.
	limit, offset := page.Per, page.Offset()-1
	if page.Offset() == 0 {
		l.Items = []domain.Member{{Principal: g.Owner, Owner: true}}
		limit, offset = page.Per-1, 0
	}
	rows, err := r.db.Query(ctx, `SELECT u.id, u.name, u.slug, u.avatar, u.face_version
		FROM (SELECT user_id, created_at FROM group_members WHERE group_id = $1 AND user_id <> $2
			ORDER BY created_at DESC, user_id DESC LIMIT $3 OFFSET $4) AS m
		JOIN users u ON u.id = m.user_id ORDER BY m.created_at DESC, m.user_id DESC`, g.ID, g.Owner.ID, limit, offset)
	others, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (m domain.Member, err error) {
		m.Type = domain.TypeUser
		err = row.Scan(&m.ID, &m.Name, &m.Slug, &m.Avatar, &m.Version)
		return m, err
	})
	l.Items = append(l.Items, others...)
	return l, err
}

// MembersAfter lists a part of the members of a group, including its owner, by the time of joining.
func (r Lists) MembersAfter(ctx context.Context, group domain.GroupID, q contents.AfterQuery) ([]domain.UserID, *contents.Bookmark, error) {
	return contents.AfterTime(ctx, r.db, q, contents.Timeline{From: "group_members m WHERE m.group_id = $1", Time: "m.created_at", ID: "m.user_id",
		Args: sqlx.Args{group}}, "m.user_id", contents.OneID[domain.UserID])
}

// GroupsAfter lists a part of the groups that a user owns or has joined, by the creation of the groups.
func (r Lists) GroupsAfter(ctx context.Context, user domain.UserID, q contents.AfterQuery) ([]domain.GroupID, *contents.Bookmark, error) {
	return contents.AfterTime(ctx, r.db, q, contents.Timeline{From: "group_members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = $1",
		Time: "g.created_at", ID: "g.id", Args: sqlx.Args{user}}, "g.id", contents.OneID[domain.GroupID])
}

// FirstMember returns the member who has been in a group since its creation, or its owner if that member has left.
func (r Reads) FirstMember(ctx context.Context, g domain.Group) (domain.UserID, error) {
	return sqlx.ScanID[domain.UserID](r.db.QueryRow(ctx, `SELECT COALESCE((SELECT user_id FROM group_members
		WHERE group_id = $1 AND created_at <= $2 ORDER BY created_at, user_id LIMIT 1), $3)`, g.ID, sqlx.Micros(g.CreatedAt), g.Owner.ID))
}

// NextOwner returns the longest-standing member of a group who has an account and is not its owner, or 0
// if the group has no such member.
func (r Reads) NextOwner(ctx context.Context, g domain.GroupID) (id domain.UserID, err error) {
	err = r.db.QueryRow(ctx, `SELECT COALESCE((SELECT gm.user_id FROM group_members gm JOIN groups g ON g.id = gm.group_id
		JOIN users u ON u.id = gm.user_id WHERE gm.group_id = $1 AND gm.user_id <> g.owner_id AND u.deleted_at IS NULL
		ORDER BY gm.created_at, gm.user_id LIMIT 1), 0)`, g).Scan(&id)
	return id, err
}

// EldestMembers lists the members of a group, longest-standing first.
func (r Reads) EldestMembers(ctx context.Context, id domain.GroupID, limit int) ([]domain.UserID, error) {
	rows, err := r.db.Query(ctx, `SELECT user_id FROM group_members WHERE group_id = $1
		ORDER BY created_at, user_id LIMIT $2`, id, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
}

package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// Group reads a group by id or by any of its past and present slugs, with the viewer's membership.
func (r GroupReads) Group(ctx context.Context, viewer domain.UserID, ref domain.Ref) (domain.Group, error) {
	if leadsNowhere(ref) {
		return domain.Group{}, domain.NewNotFound()
	}
	where, arg := "g.id = $2", any(ref.ID)
	if ref.Slug != "" {
		where, arg = "g.id = (SELECT target_id FROM slugs WHERE kind = 'Group' AND slug = $2)", ref.Slug
	}
	g, err := rowmap.ScanGroup(r.q.db.QueryRow(ctx, "SELECT "+rowmap.GroupColumns+" FROM groups g "+rowmap.GroupOwner+" WHERE "+where, viewer, arg))
	return g, sqlx.Found(err)
}

// GroupsByID reads groups with the viewer's membership.
func (r GroupReads) GroupsByID(ctx context.Context, viewer domain.UserID, ids []domain.GroupID) (map[domain.GroupID]domain.Group, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.db.Query(ctx, "SELECT "+rowmap.GroupColumns+" FROM groups g "+rowmap.GroupOwner+" WHERE "+r.q.db.In("g.id", "$2"),
		viewer, sqlx.IDs(r.q.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, rowmap.ScanGroup)
	return sqlx.ByID(all, func(g domain.Group) domain.GroupID { return g.ID }), err
}

// UserGroupsQuery selects a page of the groups that a user owns or has joined.
type UserGroupsQuery struct {
	Viewer domain.UserID
	User   domain.UserID
	Sort   domain.GroupSort
	Page   domain.Page
}

// UserGroups lists the groups of a user.
func (s GroupLists) UserGroups(ctx context.Context, q UserGroupsQuery) (l domain.List[domain.Group], err error) {
	err = s.v.db.QueryRow(ctx, "SELECT count(*) FROM group_members WHERE user_id = $1", q.User).Scan(&l.Total)
	if err != nil || q.Page.Offset() >= l.Total {
		return l, err
	}
	key := map[domain.GroupKey]string{domain.GroupsByName: "g.name_key", domain.GroupsByCreated: "g.created_at",
		domain.GroupsByUpdated: "g.updated_at"}[q.Sort.Key]
	dir := sqlx.Direction(q.Sort.Desc)
	rows, err := s.v.db.Query(ctx, "SELECT "+rowmap.GroupColumns+" FROM group_members gm JOIN groups g ON g.id = gm.group_id "+
		rowmap.GroupOwner+" WHERE gm.user_id = $2 ORDER BY "+key+" "+dir+", g.id "+dir+" LIMIT $3 OFFSET $4",
		q.Viewer, q.User, q.Page.Per, q.Page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, rowmap.ScanGroup)
	return l, err
}

// ResolveGroup returns the id of a reference without checking that the group exists.
func (r GroupReads) ResolveGroup(ctx context.Context, ref domain.Ref) (domain.GroupID, error) {
	if leadsNowhere(ref) {
		return 0, domain.NewNotFound()
	}
	if ref.Slug == "" {
		return domain.GroupID(ref.ID), nil
	}
	var id domain.GroupID
	err := r.q.db.QueryRow(ctx, `SELECT target_id FROM slugs WHERE kind = 'Group' AND slug = $1`, ref.Slug).Scan(&id)
	return id, sqlx.Found(err)
}

// LockGroup locks a group until the transaction ends. Its members, invitations and channels change
// only under this lock, which comes after the locks of channels.
func (w GroupWrites) LockGroup(ctx context.Context, id domain.GroupID) error {
	var got domain.GroupID
	return sqlx.Found(w.tx.db.QueryRow(ctx, "SELECT g.id FROM groups g WHERE g.id = $1"+w.tx.db.ForUpdate("g"), id).Scan(&got))
}

// NewGroup contains the data of a new group.
type NewGroup struct {
	Slug        string
	Name        string
	Description *domain.Text
	Owner       domain.UserID
	Now         time.Time
}

var (
	insertGroup = rowmap.Groups.Insert() + " RETURNING id"
	updateGroup = "UPDATE groups SET " + rowmap.Groups.Assign(sqlx.Update, 4) +
		", face_version = face_version + $3, version = version + 1, updated_at = $2 WHERE id = $1"
)

// CreateGroup creates a group with its owner as the first member. The transaction must have
// claimed the slug.
func (w GroupWrites) CreateGroup(ctx context.Context, n NewGroup) (domain.GroupID, error) {
	g := domain.Group{Slug: n.Slug, Name: n.Name, Description: n.Description, Owner: domain.Principal{PrincipalRef: domain.UserRef(n.Owner)},
		CreatedAt: n.Now, UpdatedAt: n.Now}
	id, err := sqlx.ScanID[domain.GroupID](w.tx.db.QueryRow(ctx, insertGroup, rowmap.GroupArgs(sqlx.Insert, &g)...))
	if err != nil {
		return 0, err
	}
	if err := w.tx.Slugs().BindSlug(ctx, GroupSlug, n.Slug, int64(id)); err != nil {
		return 0, err
	}
	w.tx.grow(n.Owner, 0, textBytes(n.Description, &n.Name))
	w.tx.documents().Add(search.DocumentOf(domain.SubjectGroup, int64(id), n.Owner, n.Name, n.Slug, sqlx.Micros(n.Now)))
	_, err = w.tx.Membership().AddMember(ctx, id, n.Owner, n.Now)
	return id, err
}

// UpdateGroup writes the columns of a locked group that can be changed (sqlx.Update).
func (w GroupWrites) UpdateGroup(ctx context.Context, was, g domain.Group, now time.Time) error {
	face := 0
	if was.Slug != g.Slug || was.Name != g.Name {
		face = 1
	}
	err := w.tx.db.ExecOne(ctx, updateGroup, rowmap.GroupArgs(sqlx.Update, &g, g.ID, sqlx.Micros(now), face)...)
	w.tx.grow(domain.UserID(g.Owner.ID), textBytes(was.Description, &was.Name), textBytes(g.Description, &g.Name))
	w.tx.documents().Refresh(domain.SubjectGroup, int64(g.ID))
	return err
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

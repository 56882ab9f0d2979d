package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/documents"
	"vitrine/internal/store/sqlx"
)

// groupColumns are the columns of the group `g` with its owner `gu`, and whether the viewer $1 is
// a member.
const groupColumns = `g.id, g.slug, g.name, g.description_markdown, g.description_html, g.description_plain, g.avatar,
	g.open_channels, g.private_channels, g.users_count, g.version, g.face_version, g.created_at, g.updated_at,
	gu.id, gu.name, gu.slug, gu.avatar, gu.face_version,
	EXISTS (SELECT 1 FROM group_members vm WHERE vm.group_id = g.id AND vm.user_id = CAST($1 AS BIGINT))`

const groupOwner = `JOIN users gu ON gu.id = g.owner_id`

func scanGroup(row sqlx.Row) (g domain.Group, err error) {
	var description sqlx.TextColumns
	var created, updated int64
	g.Owner.Type = domain.TypeUser
	err = row.Scan(&g.ID, &g.Slug, &g.Name, &description.Markdown, &description.HTML, &description.Plain, &g.Avatar,
		&g.OpenChannels, &g.PrivateChannels, &g.Users, &g.Version, &g.FaceVersion, &created, &updated,
		&g.Owner.ID, &g.Owner.Name, &g.Owner.Slug, &g.Owner.Avatar, &g.Owner.Version, &g.Member)
	g.Description, g.CreatedAt, g.UpdatedAt = description.Value(), sqlx.Time(created), sqlx.Time(updated)
	return g, err
}

// Group reads a group by id or by any of its past and present slugs, with the viewer's membership.
func (r GroupReads) Group(ctx context.Context, viewer domain.UserID, ref domain.Ref) (domain.Group, error) {
	if leadsNowhere(ref) {
		return domain.Group{}, domain.NewNotFound()
	}
	where, arg := "g.id = $2", any(ref.ID)
	if ref.Slug != "" {
		where, arg = "g.id = (SELECT target_id FROM slugs WHERE kind = 'Group' AND slug = $2)", ref.Slug
	}
	g, err := scanGroup(r.q.db.QueryRow(ctx, "SELECT "+groupColumns+" FROM groups g "+groupOwner+" WHERE "+where, viewer, arg))
	return g, sqlx.Found(err)
}

// GroupsByID reads groups with the viewer's membership.
func (r GroupReads) GroupsByID(ctx context.Context, viewer domain.UserID, ids []domain.GroupID) (map[domain.GroupID]domain.Group, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.db.Query(ctx, "SELECT "+groupColumns+" FROM groups g "+groupOwner+" WHERE "+r.q.db.In("g.id", "$2"),
		viewer, sqlx.IDs(r.q.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, scanGroup)
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
	rows, err := s.v.db.Query(ctx, "SELECT "+groupColumns+" FROM group_members gm JOIN groups g ON g.id = gm.group_id "+
		groupOwner+" WHERE gm.user_id = $2 ORDER BY "+key+" "+dir+", g.id "+dir+" LIMIT $3 OFFSET $4",
		q.Viewer, q.User, q.Page.Per, q.Page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, scanGroup)
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

// CreateGroup creates a group with its owner as the first member. The transaction must have
// claimed the slug.
func (w GroupWrites) CreateGroup(ctx context.Context, n NewGroup) (domain.GroupID, error) {
	d := sqlx.TextOf(n.Description)
	var id domain.GroupID
	err := w.tx.db.QueryRow(ctx, `INSERT INTO groups (slug, name, name_key, description_markdown, description_html,
			description_plain, owner_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING id`,
		n.Slug, n.Name, domain.NameKey(n.Name), d.Markdown, d.HTML, d.Plain, n.Owner, sqlx.Micros(n.Now)).Scan(&id)
	if err != nil {
		return 0, err
	}
	if err := w.tx.Slugs().BindSlug(ctx, GroupSlug, n.Slug, int64(id)); err != nil {
		return 0, err
	}
	w.tx.grow(n.Owner, 0, textBytes(n.Description, &n.Name))
	w.tx.documents.Add(documents.Named(domain.SubjectGroup, int64(id), n.Owner, n.Name, n.Slug, sqlx.Micros(n.Now)))
	_, err = w.tx.Membership().AddMember(ctx, id, n.Owner, n.Now)
	return id, err
}

// UpdateGroup writes slug, name and description of a locked group.
func (w GroupWrites) UpdateGroup(ctx context.Context, was, g domain.Group, now time.Time) error {
	face := 0
	if was.Slug != g.Slug || was.Name != g.Name {
		face = 1
	}
	d := sqlx.TextOf(g.Description)
	err := w.tx.db.ExecOne(ctx, `UPDATE groups SET slug = $2, name = $3, name_key = $4, description_markdown = $5,
			description_html = $6, description_plain = $7, face_version = face_version + $8,
			version = version + 1, updated_at = $9 WHERE id = $1`,
		g.ID, g.Slug, g.Name, domain.NameKey(g.Name), d.Markdown, d.HTML, d.Plain, face, sqlx.Micros(now))
	w.tx.grow(domain.UserID(g.Owner.ID), textBytes(was.Description, &was.Name), textBytes(g.Description, &g.Name))
	w.tx.documents.Refresh(domain.SubjectGroup, int64(g.ID))
	return err
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

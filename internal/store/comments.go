package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

const commentColumns = `cm.id, cm.block_id, cm.body_markdown, cm.body_html, cm.body_plain, cm.version, cm.created_at,
	cm.updated_at, cu.id, cu.name, cu.slug, cu.avatar, cu.face_version`

const commentFrom = ` FROM comments cm JOIN users cu ON cu.id = cm.user_id `

func scanComment(row sqlx.Row) (c domain.Comment, err error) {
	var created, updated int64
	c.Author.Type = domain.TypeUser
	err = row.Scan(&c.ID, &c.BlockID, &c.Body.Markdown, &c.Body.HTML, &c.Body.Plain, &c.Version, &created, &updated,
		&c.Author.ID, &c.Author.Name, &c.Author.Slug, &c.Author.Avatar, &c.Author.Version)
	c.CreatedAt, c.UpdatedAt = sqlx.Time(created), sqlx.Time(updated)
	return c, err
}

// Comment reads a comment, whoever looks.
func (q Queries) Comment(ctx context.Context, id domain.CommentID) (domain.Comment, error) {
	c, err := scanComment(q.db.QueryRow(ctx, "SELECT "+commentColumns+commentFrom+"WHERE cm.id = $1", id))
	return c, sqlx.Found(err)
}

// Comments lists the comments on a block by time.
func (v *Snapshot) Comments(ctx context.Context, block domain.Block, desc bool, page domain.Page) (l domain.List[domain.Comment], err error) {
	l.Total = block.Comments
	if page.Offset() >= l.Total {
		return l, nil
	}
	dir := sqlx.Direction(desc)
	rows, err := v.db.Query(ctx, "SELECT "+commentColumns+commentFrom+"WHERE cm.block_id = $1 ORDER BY cm.created_at "+dir+
		", cm.id "+dir+" LIMIT $2 OFFSET $3", block.ID, page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, scanComment)
	return l, err
}

// CommentsUpTo counts the comments on a block by time up to one of them, and it too.
func (q Queries) CommentsUpTo(ctx context.Context, c domain.Comment) (n int64, err error) {
	at := sqlx.Micros(c.CreatedAt)
	err = q.db.QueryRow(ctx, `SELECT count(*) FROM comments
		WHERE block_id = $1 AND (created_at < $2 OR created_at = $2 AND id <= $3)`, c.BlockID, at, c.ID).Scan(&n)
	return n, err
}

// CreateComment writes a comment on a locked block.
func (tx *Tx) CreateComment(ctx context.Context, block domain.BlockID, author domain.UserID, body domain.Text, now time.Time) (domain.CommentID, error) {
	var id domain.CommentID
	err := tx.db.QueryRow(ctx, `INSERT INTO comments (block_id, user_id, body_markdown, body_html, body_plain, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id`,
		block, author, body.Markdown, body.HTML, body.Plain, sqlx.Micros(now)).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, tx.countComments(ctx, block, 1)
}

// UpdateComment replaces the body of a comment.
func (tx *Tx) UpdateComment(ctx context.Context, id domain.CommentID, body domain.Text, now time.Time) error {
	return tx.db.ExecOne(ctx, `UPDATE comments SET body_markdown = $2, body_html = $3, body_plain = $4,
		version = version + 1, updated_at = $5 WHERE id = $1`, id, body.Markdown, body.HTML, body.Plain, sqlx.Micros(now))
}

// DeleteComment removes a comment on a locked block, and what was told of it.
func (tx *Tx) DeleteComment(ctx context.Context, c domain.Comment) error {
	if err := tx.db.ExecOne(ctx, `DELETE FROM comments WHERE id = $1`, c.ID); err != nil {
		return err
	}
	if err := tx.countComments(ctx, c.BlockID, -1); err != nil {
		return err
	}
	return tx.ForgetActivities(ctx, domain.SubjectComment, int64(c.ID))
}

// DeleteComments removes at most n comments of a user, and what was told of them.
func (tx *Tx) DeleteComments(ctx context.Context, user domain.UserID, n int) error {
	type place struct{ comment, block int64 }
	rows, err := tx.db.Query(ctx, `SELECT id, block_id FROM comments WHERE user_id = $1 ORDER BY block_id, id`+sqlx.Limit("$2"), user, n)
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p place, err error) {
		err = row.Scan(&p.comment, &p.block)
		return p, err
	})
	var gone []int64
	for i, p := range all { // blocks in the order of their ids
		if err == nil && (i == 0 || all[i-1].block != p.block) {
			err = tx.LockBlock(ctx, domain.BlockID(p.block))
		}
		if err != nil {
			return err
		}
		rows, err := tx.db.Query(ctx, `DELETE FROM comments WHERE id = $1 RETURNING id`, p.comment)
		ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
		if err != nil {
			return err
		}
		if len(ids) == 0 { // deleted meanwhile
			continue
		}
		gone = append(gone, p.comment)
		if err := tx.countComments(ctx, domain.BlockID(p.block), -1); err != nil {
			return err
		}
	}
	if err != nil || len(gone) == 0 {
		return err
	}
	return tx.ForgetActivities(ctx, domain.SubjectComment, gone...)
}

func (tx *Tx) countComments(ctx context.Context, block domain.BlockID, by int64) error {
	return tx.db.ExecOne(ctx, `UPDATE blocks SET comment_count = comment_count + $2, version = version + 1 WHERE id = $1`, block, by)
}

// CommentsByID reads comments whose visibility is already known.
func (q Queries) CommentsByID(ctx context.Context, ids []domain.CommentID) (map[domain.CommentID]domain.Comment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.db.Query(ctx, "SELECT "+commentColumns+commentFrom+"WHERE "+q.db.In("cm.id", "$1"), sqlx.IDs(q.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, scanComment)
	return sqlx.ByID(all, func(c domain.Comment) domain.CommentID { return c.ID }), err
}

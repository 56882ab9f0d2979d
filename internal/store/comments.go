package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

var (
	insertComment = rowmap.Comments.Insert() + " RETURNING id"
	updateComment = "UPDATE comments SET " + rowmap.Comments.Assign(sqlx.Update, 3) + ", version = version + 1, updated_at = $2 WHERE id = $1"
)

// CreateComment creates a comment on a locked block.
func (w CommentWrites) CreateComment(ctx context.Context, block domain.BlockID, author domain.UserID, body domain.Text, now time.Time) (domain.CommentID, error) {
	c := domain.Comment{BlockID: block, Author: domain.Principal{PrincipalRef: domain.UserRef(author)}, Body: body, CreatedAt: now, UpdatedAt: now}
	id, err := sqlx.ScanID[domain.CommentID](w.tx.db.QueryRow(ctx, insertComment, rowmap.CommentArgs(sqlx.Insert, &c)...))
	if err != nil {
		return 0, err
	}
	w.tx.grow(author, 0, len(body.Markdown))
	return id, w.countComments(ctx, block, 1)
}

// UpdateComment replaces the body of a comment.
func (w CommentWrites) UpdateComment(ctx context.Context, was domain.Comment, body domain.Text, now time.Time) error {
	w.tx.grow(domain.UserID(was.Author.ID), len(was.Body.Markdown), len(body.Markdown))
	is := domain.Comment{Body: body}
	return w.tx.db.ExecOne(ctx, updateComment, rowmap.CommentArgs(sqlx.Update, &is, was.ID, sqlx.Micros(now))...)
}

// DeleteComment deletes a comment on a locked block and the activities about it.
func (w CommentWrites) DeleteComment(ctx context.Context, c domain.Comment) error {
	if err := w.tx.db.ExecOne(ctx, `DELETE FROM comments WHERE id = $1`, c.ID); err != nil {
		return err
	}
	if err := w.countComments(ctx, c.BlockID, -1); err != nil {
		return err
	}
	return w.tx.Activity().ForgetActivities(ctx, domain.SubjectComment, int64(c.ID))
}

// DeleteComments deletes at most n comments of a user and the activities about them.
func (w CommentWrites) DeleteComments(ctx context.Context, user domain.UserID, n int) error {
	type place struct{ comment, block int64 }
	rows, err := w.tx.db.Query(ctx, `SELECT id, block_id FROM comments WHERE user_id = $1 ORDER BY block_id, id`+sqlx.Limit("$2"), user, n)
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p place, err error) {
		err = row.Scan(&p.comment, &p.block)
		return p, err
	})
	var gone []int64
	for i, p := range all { // locks blocks in the order of their ids
		if err == nil && (i == 0 || all[i-1].block != p.block) {
			err = w.tx.Blocks().LockBlock(ctx, domain.BlockID(p.block))
		}
		if err != nil {
			return err
		}
		rows, err := w.tx.db.Query(ctx, `DELETE FROM comments WHERE id = $1 RETURNING id`, p.comment)
		ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
		if err != nil {
			return err
		}
		if len(ids) == 0 { // it was deleted in the meantime
			continue
		}
		gone = append(gone, p.comment)
		if err := w.countComments(ctx, domain.BlockID(p.block), -1); err != nil {
			return err
		}
	}
	if err != nil || len(gone) == 0 {
		return err
	}
	return w.tx.Activity().ForgetActivities(ctx, domain.SubjectComment, gone...)
}

// MoveComments moves the comments on a locked block to another one.
func (w CommentWrites) MoveComments(ctx context.Context, from, to domain.BlockID) error {
	n, err := w.tx.db.ExecCount(ctx, `UPDATE comments SET block_id = $2, version = version + 1 WHERE block_id = $1`, from, to)
	if err != nil || n == 0 {
		return err
	}
	if err := w.countComments(ctx, from, -n); err != nil {
		return err
	}
	return w.countComments(ctx, to, n)
}

func (w CommentWrites) countComments(ctx context.Context, block domain.BlockID, by int64) error {
	return w.tx.db.ExecOne(ctx, `UPDATE blocks SET comment_count = comment_count + $2, version = version + 1 WHERE id = $1`, block, by)
}

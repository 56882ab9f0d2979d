package contents

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// CommentReads contains the statements that change nothing.
type CommentReads struct{ db sqlx.Conn }

// NewCommentReads returns the statements on a connection.
func NewCommentReads(db sqlx.Conn) CommentReads { return CommentReads{db} }

// CommentLists contains the statements that count and read a page from one state.
type CommentLists struct{ CommentReads }

// NewCommentLists returns the statements on a connection.
func NewCommentLists(db sqlx.Conn) CommentLists { return CommentLists{NewCommentReads(db)} }

// Comment reads a comment without checking access.
func (r CommentReads) Comment(ctx context.Context, id domain.CommentID) (domain.Comment, error) {
	c, err := rowmap.ScanComment(r.db.QueryRow(ctx, rowmap.SelectComments+"WHERE cm.id = $1", id))
	return c, sqlx.Found(err)
}

// Comments lists the comments on a block by time.
func (v CommentLists) Comments(ctx context.Context, block domain.Block, desc bool, page domain.Page) (l domain.List[domain.Comment], err error) {
	l.Total = block.Comments
	if page.Offset() >= l.Total {
		return l, nil
	}
	dir := sqlx.Direction(desc)
	rows, err := v.db.Query(ctx, rowmap.SelectComments+"WHERE cm.block_id = $1 ORDER BY cm.created_at "+dir+
		", cm.id "+dir+" LIMIT $2 OFFSET $3", block.ID, page.Per, page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, rowmap.ScanComment)
	return l, err
}

// CommentsUpTo counts the comments on a block, by time, up to and including the given one.
func (r CommentReads) CommentsUpTo(ctx context.Context, c domain.Comment) (n int64, err error) {
	at := sqlx.Micros(c.CreatedAt)
	err = r.db.QueryRow(ctx, `SELECT count(*) FROM comments
		WHERE block_id = $1 AND (created_at < $2 OR created_at = $2 AND id <= $3)`, c.BlockID, at, c.ID).Scan(&n)
	return n, err
}

// CommentsByID reads comments whose visibility is already known.
func (r CommentReads) CommentsByID(ctx context.Context, ids []domain.CommentID) (map[domain.CommentID]domain.Comment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.db.Query(ctx, rowmap.SelectComments+"WHERE "+r.db.In("cm.id", "$1"), sqlx.IDs(r.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, rowmap.ScanComment)
	return sqlx.ByID(all, func(c domain.Comment) domain.CommentID { return c.ID }), err
}

// LatestCommenters lists the users who commented on a block, latest first.
func (r CommentReads) LatestCommenters(ctx context.Context, id domain.BlockID, limit int) ([]domain.UserID, error) {
	rows, err := r.db.Query(ctx, `SELECT user_id FROM comments WHERE block_id = $1
		GROUP BY user_id ORDER BY max(created_at) DESC, user_id LIMIT $2`, id, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.UserID])
}

// AuthoredComments lists the comments of an author by block.
func (r CommentReads) AuthoredComments(ctx context.Context, author domain.UserID, block domain.BlockID, above domain.CommentID, n int) ([]domain.Comment, error) {
	rows, err := r.db.Query(ctx, rowmap.SelectComments+`WHERE cm.user_id = $1 AND (cm.block_id, cm.id) > ($2, $3)
		ORDER BY cm.block_id, cm.id`+sqlx.Limit("$4"), author, block, above, n)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanComment)
}

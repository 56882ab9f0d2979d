package rowmap

import (
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// commentRow holds the columns of a comment.
type commentRow struct {
	*domain.Comment
	created, updated int64
}

const commentText = sqlx.Insert | sqlx.Update | sqlx.Hide | sqlx.Quota

// Comments declares the columns of the comment `cm` by the user `cu`.
var Comments = sqlx.Table[commentRow]{Name: "comments", Alias: "cm", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *commentRow) *domain.CommentID { return &r.ID }),
	sqlx.Col("block_id", sqlx.Insert|sqlx.Hide, func(r *commentRow) *domain.BlockID { return &r.BlockID }),
	sqlx.Col("body_markdown", commentText, func(r *commentRow) *string { return &r.Body.Markdown }),
	sqlx.Col("body_html", commentText, func(r *commentRow) *string { return &r.Body.HTML }),
	sqlx.Col("body_plain", commentText, func(r *commentRow) *string { return &r.Body.Plain }),
	sqlx.Col("version", 0, func(r *commentRow) *int64 { return &r.Version }),
	sqlx.Col("created_at", sqlx.Insert|sqlx.Hide, func(r *commentRow) *int64 { return &r.created }),
	sqlx.Col("updated_at", sqlx.Insert|sqlx.Hide, func(r *commentRow) *int64 { return &r.updated }),
	person("user_id", sqlx.Insert|sqlx.Hide, "cu", func(r *commentRow) *domain.Principal { return &r.Author }),
)}

// SelectComments begins a statement that selects comments.
var SelectComments = "SELECT " + Comments.Select() + " FROM comments cm JOIN users cu ON cu.id = cm.user_id "

// ScanComment reads a row of SelectComments.
func ScanComment(row sqlx.Row) (c domain.Comment, err error) {
	r := commentRow{Comment: &c}
	c.Author.Type = domain.TypeUser
	err = row.Scan(Comments.Targets(&r)...)
	c.CreatedAt, c.UpdatedAt = sqlx.Time(r.created), sqlx.Time(r.updated)
	return c, err
}

// CommentArgs returns the arguments of a statement that writes a comment, after others.
func CommentArgs(use sqlx.Use, c *domain.Comment, before ...any) []any {
	r := commentRow{Comment: c, created: sqlx.Micros(c.CreatedAt), updated: sqlx.Micros(c.UpdatedAt)}
	return Comments.Args(use, &r, before...)
}

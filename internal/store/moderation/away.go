package moderation

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// HiddenConnection is a hidden connection.
type HiddenConnection struct {
	ID          domain.ConnectionID
	Under       HidingID // the reason it is hidden
	Channel     domain.ChannelID
	Item        domain.ItemRef
	User        domain.UserID // its creator
	PositionKey int64
	CreatedAt   int64 // microseconds
}

// The columns of a connection that hiding does not change.
var connectionColumns = rowmap.Connections.Names(sqlx.Hide)

var hideConnection = "INSERT INTO hidden_connections (id, hidden_id, block_id, position_key, version, created_at, " + connectionColumns +
	") SELECT id, CAST($2 AS BIGINT), CASE WHEN item_type = 'Block' THEN item_id END, position_key, version, created_at, " + connectionColumns +
	" FROM connections WHERE id = $1"

// ShowConnection copies the hidden connection $1 back, with item_private $2, item_updated_at $3,
// position_key $4 and created_at $5.
var ShowConnection = CopyConnectionBack("hidden_connections")

// CopyConnectionBack is ShowConnection for another table with the columns of hidden connections.
func CopyConnectionBack(from string) string {
	return "INSERT INTO connections (id, item_private, item_updated_at, position_key, version, created_at, " + connectionColumns +
		") SELECT id, $2, $3, $4, version + 1, $5, " + connectionColumns + " FROM " + from + " WHERE id = $1"
}

// KeepConnection copies a connection of a locked channel to the hidden ones. The caller then
// deletes it.
func (w HidingWrites) KeepConnection(ctx context.Context, under HidingID, id domain.ConnectionID) error {
	return w.db.ExecOne(ctx, hideConnection, id, under)
}

// Kept lists some of the connections hidden with a thing, newest first, so that each is restored
// after its neighbours.
func (r HidingReads) Kept(ctx context.Context, under HidingID, limit int) ([]HiddenConnection, error) {
	rows, err := r.db.Query(ctx, `SELECT k.id, k.hidden_id, k.channel_id, k.item_type, k.item_id, k.user_id, k.position_key, k.created_at
		FROM hidden_connections k WHERE k.hidden_id = $1 ORDER BY k.id DESC`+sqlx.Limit("$2"), under, limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (c HiddenConnection, err error) {
		err = row.Scan(&c.ID, &c.Under, &c.Channel, &c.Item.Type, &c.Item.ID, &c.User, &c.PositionKey, &c.CreatedAt)
		return c, err
	})
}

// DropKept deletes a hidden connection.
func (w HidingWrites) DropKept(ctx context.Context, id domain.ConnectionID) error {
	return w.db.ExecOne(ctx, `DELETE FROM hidden_connections WHERE id = $1`, id)
}

// KeepFor makes a hidden connection reappear with another thing.
func (w HidingWrites) KeepFor(ctx context.Context, id domain.ConnectionID, under HidingID) error {
	return w.db.ExecOne(ctx, `UPDATE hidden_connections SET hidden_id = $2 WHERE id = $1`, id, under)
}

// StaysHidden returns another thing that keeps a connection hidden: its block, its creator or the
// block's author, unless the channel belongs to that person. It returns 0 if nothing else keeps the
// connection hidden.
func (r HidingReads) StaysHidden(ctx context.Context, c HiddenConnection) (HidingID, error) {
	return sqlx.ScanID[HidingID](r.db.QueryRow(ctx, `SELECT COALESCE(min(h.id), 0) FROM hidden_things h WHERE h.id <> $1 AND `+
		staysHidden("$2", "$3", "$4", "$5"), c.Under, c.Item.Type, c.Item.ID, c.User, c.Channel))
}

// StaysHidden returns a condition that is true for the rows of a table of connections that are not to be shown.
func StaysHidden(conn string) string {
	return `EXISTS (SELECT 1 FROM hidden_things h WHERE ` + staysHidden(conn+".item_type", conn+".item_id", conn+".user_id", conn+".channel_id") + `)`
}

// staysHidden returns the condition for a hidden thing `h` to hide a connection.
func staysHidden(itemType, item, user, channel string) string {
	return `h.state <> 'showing' AND (h.kind = 'Block' AND ` + itemType + ` = 'Block' AND h.target_id = ` + item + `
		OR h.kind = 'User' AND h.target_id IN (` + user + `, (SELECT b.user_id FROM blocks b WHERE ` + itemType + ` = 'Block' AND b.id = ` + item + `))
			AND NOT EXISTS (SELECT 1 FROM channels ch WHERE ch.id = ` + channel + ` AND ch.owner_type = 'User' AND ch.owner_id = h.target_id))`
}

// ChannelsWith lists some live channels that contain a block, except those of one user (0: no
// exception).
func (r HidingReads) ChannelsWith(ctx context.Context, block domain.BlockID, except domain.UserID, limit int) ([]domain.ChannelID, error) {
	rows, err := r.db.Query(ctx, `SELECT c.channel_id FROM connections c JOIN channels ch ON ch.id = c.channel_id
		WHERE c.item_type = 'Block' AND c.item_id = $1 AND ch.state = 'available' AND NOT (ch.owner_type = 'User' AND ch.owner_id = $2)
		ORDER BY c.channel_id`+sqlx.Limit("$3"), block, except, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ChannelID])
}

// SpreadBlocks lists some blocks of a user, above an id, that are in others' channels.
func (r HidingReads) SpreadBlocks(ctx context.Context, of domain.UserID, above domain.BlockID, limit int) ([]domain.BlockID, error) {
	rows, err := r.db.Query(ctx, `SELECT b.id FROM blocks b WHERE b.user_id = $1 AND b.id > $2 AND b.open_count + b.private_count > 0 AND EXISTS (
			SELECT 1 FROM connections c JOIN channels ch ON ch.id = c.channel_id
			WHERE c.item_type = 'Block' AND c.item_id = b.id AND ch.state = 'available' AND NOT (ch.owner_type = 'User' AND ch.owner_id = $1))
		ORDER BY b.id`+sqlx.Limit("$3"), of, above, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.BlockID])
}

// AddedTo lists some of the others' channels, above an id, to which a user has connected
// something.
func (r HidingReads) AddedTo(ctx context.Context, by domain.UserID, above domain.ChannelID, limit int) ([]domain.ChannelID, error) {
	rows, err := r.db.Query(ctx, `SELECT n.channel_id FROM adder_counts n JOIN channels ch ON ch.id = n.channel_id
		WHERE n.user_id = $1 AND n.channel_id > $2 AND ch.state = 'available' AND NOT (ch.owner_type = 'User' AND ch.owner_id = $1)
		ORDER BY n.channel_id`+sqlx.Limit("$3"), by, above, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ChannelID])
}

// AddedBy lists some of the connections that a user created in a channel, by item.
func (r HidingReads) AddedBy(ctx context.Context, by domain.UserID, in domain.ChannelID, limit int) ([]domain.ConnectionID, error) {
	rows, err := r.db.Query(ctx, `SELECT id FROM (SELECT c.id, c.item_type, c.item_id FROM connections c WHERE c.channel_id = $1 AND c.user_id = $2
		ORDER BY c.position_key`+sqlx.Limit("$3")+`) AS part ORDER BY item_type, item_id`, in, by, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ConnectionID])
}

// OpenChannels lists some channels of a person that are not private: those that they own, and
// those that they created in groups of their own.
func (r HidingReads) OpenChannels(ctx context.Context, of domain.UserID, above domain.ChannelID, limit int) ([]domain.ChannelID, error) {
	rows, err := r.db.Query(ctx, `SELECT ch.id FROM channels ch WHERE ch.id > $2 AND ch.state = 'available' AND ch.visibility <> 'private'
			AND ch.owner_type = 'User' AND ch.owner_id = $1
		UNION SELECT ch.id FROM groups g JOIN channels ch ON ch.owner_type = 'Group' AND ch.owner_id = g.id
			WHERE g.owner_id = $1 AND ch.user_id = $1 AND ch.id > $2 AND ch.state = 'available' AND ch.visibility <> 'private'
		ORDER BY id`+sqlx.Limit("$3"), of, above, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ChannelID])
}

// HiddenComment is a comment and its block.
type HiddenComment struct {
	Comment domain.CommentID
	Block   domain.BlockID
}

func scanSaid(row sqlx.Row) (s HiddenComment, err error) {
	err = row.Scan(&s.Comment, &s.Block)
	return s, err
}

// CommentsOf lists some comments of a user, by block.
func (r HidingReads) CommentsOf(ctx context.Context, user domain.UserID, limit int) ([]HiddenComment, error) {
	rows, err := r.db.Query(ctx, `SELECT id, block_id FROM comments WHERE user_id = $1 ORDER BY block_id, id`+sqlx.Limit("$2"), user, limit)
	return sqlx.Collect(ctx, rows, err, scanSaid)
}

// KeptComments lists some of the comments hidden with a thing, by block.
func (r HidingReads) KeptComments(ctx context.Context, under HidingID, limit int) ([]HiddenComment, error) {
	rows, err := r.db.Query(ctx, `SELECT id, block_id FROM (SELECT k.id, k.block_id FROM hidden_comments k WHERE k.hidden_id = $1
		ORDER BY k.id`+sqlx.Limit("$2")+`) AS part ORDER BY block_id, id`, under, limit)
	return sqlx.Collect(ctx, rows, err, scanSaid)
}

var (
	commentColumns = rowmap.Comments.Names(sqlx.Hide)
	hideComment    = "INSERT INTO hidden_comments (id, hidden_id, version, " + commentColumns + ") SELECT id, CAST($2 AS BIGINT), version, " +
		commentColumns + " FROM comments WHERE id = $1"
	showComment = "INSERT INTO comments (id, version, " + commentColumns + ") SELECT id, version + 1, " + commentColumns +
		" FROM hidden_comments WHERE id = $1"
)

// KeepComment hides a comment on a locked block. It returns NotFound if the comment is gone.
func (w HidingWrites) KeepComment(ctx context.Context, under HidingID, c HiddenComment) error {
	n, err := w.db.ExecCount(ctx, hideComment, c.Comment, under)
	if err != nil {
		return err
	}
	if n == 0 {
		return domain.NewNotFound()
	}
	if err := w.db.ExecOne(ctx, `DELETE FROM comments WHERE id = $1`, c.Comment); err != nil {
		return err
	}
	return w.countComments(ctx, c.Block, -1)
}

// PutCommentBack restores a hidden comment on a locked block, with a new version. It does nothing
// if the comment is not hidden any more.
func (w HidingWrites) PutCommentBack(ctx context.Context, c HiddenComment) error {
	n, err := w.db.ExecCount(ctx, showComment, c.Comment)
	if err != nil || n == 0 {
		return err
	}
	if err := w.db.ExecOne(ctx, `DELETE FROM hidden_comments WHERE id = $1`, c.Comment); err != nil {
		return err
	}
	return w.countComments(ctx, c.Block, 1)
}

// KeepCommentFor makes a hidden comment reappear with another thing, NotFound if it is not hidden.
func (w HidingWrites) KeepCommentFor(ctx context.Context, id domain.CommentID, under HidingID) error {
	n, err := w.db.ExecCount(ctx, `UPDATE hidden_comments SET hidden_id = $2 WHERE id = $1`, id, under)
	if err == nil && n == 0 {
		err = domain.NewNotFound()
	}
	return err
}

// KeptComment reads the author, the block and the text of a hidden comment.
func (r HidingReads) KeptComment(ctx context.Context, id domain.CommentID) (by int64, on domain.BlockID, text string, err error) {
	err = r.db.QueryRow(ctx, `SELECT user_id, block_id, body_plain FROM hidden_comments WHERE id = $1`, id).Scan(&by, &on, &text)
	return by, on, text, sqlx.Found(err)
}

func (w HidingWrites) countComments(ctx context.Context, block domain.BlockID, by int64) error {
	return w.db.ExecOne(ctx, `UPDATE blocks SET comment_count = comment_count + $2, version = version + 1 WHERE id = $1`, block, by)
}

// ForgetHiddenOf deletes the record that a user was hidden, everything hidden with them, and their
// hidden comments. It returns the ids of the comments.
func (w HidingWrites) ForgetHiddenOf(ctx context.Context, user domain.UserID) (comments []int64, err error) {
	rows, err := w.db.Query(ctx, `DELETE FROM hidden_comments WHERE user_id = $1 RETURNING id`, user)
	if comments, err = sqlx.Collect(ctx, rows, err, sqlx.ScanInt64); err != nil {
		return nil, err
	}
	return comments, w.db.Exec(ctx, `DELETE FROM hidden_things WHERE kind = 'Comment' AND owner_id = $1 OR kind = 'User' AND target_id = $1`, user)
}

package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/domain"
)

// Loading many rows at once, for imports and benchmarks: whole rows are written as
// they are given, and nothing is derived from them until FinishLoad. The caller
// sees to it that what is derived in blocks and connections is right; Check tells.

// bulkRows is how many rows one statement writes. SQLite's driver looks up the name
// of each parameter among all of the statement's, so that more rows cost more a row
// (200 rows: four times as much); fewer would cost PostgreSQL a round trip each.
const bulkRows = 16

// LoadBlocks writes blocks with their texts, counts and times, and gives the id of
// the first; the others follow it one by one. No one else may make blocks meanwhile.
// AddDocuments must follow when all is written and connected.
func (tx *Tx) LoadBlocks(ctx context.Context, blocks []domain.Block) (domain.BlockID, error) {
	const columns = `user_id, type, state, title, description_markdown, description_html, description_plain,
		content_markdown, content_html, content_plain, value_url, source_url, source_title, alt_text, metadata,
		open_count, private_count, created_at, updated_at`
	first, err := load(ctx, tx, "blocks", columns, blocks, func(b domain.Block) []any {
		d, c := textColumns(b.Description), textColumns(b.Content)
		return []any{b.Author.ID, b.Type, b.State, b.Title, d.markdown, d.html, d.plain,
			c.markdown, c.html, c.plain, b.ValueURL, b.SourceURL, b.SourceTitle, b.AltText, metadataColumn(b.Metadata),
			b.OpenCount, b.PrivateCount, micros(b.CreatedAt), micros(b.UpdatedAt)}
	})
	return domain.BlockID(first), err
}

// LoadedConnection is a connection to write as it is. Both keys must be unique in
// its channel; PositionKeyAt gives position_key.
type LoadedConnection struct {
	domain.Connection
	ItemUpdatedAt time.Time // updated_at of a block
}

// PositionKeyAt is the key of the i-th connection of a channel, from 0 at the
// bottom, as connecting one after the other would give it out.
func PositionKeyAt(i int64) int64 { return i * keyGap }

// LoadConnections writes connections. FinishLoad must follow for their channels.
func (tx *Tx) LoadConnections(ctx context.Context, all []LoadedConnection) error {
	const columns = `channel_id, item_type, item_id, item_private, item_updated_at, user_id, position_key,
		metadata, created_at, updated_at`
	_, err := load(ctx, tx, "connections", columns, all, func(c LoadedConnection) []any {
		var updatedAt int64
		if c.Item.Type == domain.ItemBlock {
			updatedAt = micros(c.ItemUpdatedAt)
		}
		return []any{c.ChannelID, c.Item.Type, c.Item.ID, c.ItemPrivate, updatedAt, c.Maker.ID, c.PositionKey,
			metadataColumn(c.Metadata), micros(c.CreatedAt), micros(c.CreatedAt)}
	})
	return err
}

// FinishLoad counts what is in a channel and builds its orders anew. The channel has
// changed when its last connection was made, if not later.
func (tx *Tx) FinishLoad(ctx context.Context, id domain.ChannelID) error {
	err := tx.execOne(ctx, `UPDATE channels SET version = version + 1,
			updated_at = (SELECT COALESCE(max(c.created_at), channels.updated_at) FROM connections c
				WHERE c.channel_id = $1 AND c.created_at > channels.updated_at),
			(blocks_count, channels_count, private_count, last_connected_at) = (
				SELECT count(*) - count(CASE WHEN item_type = 'Channel' THEN 1 END),
					count(CASE WHEN item_type = 'Channel' THEN 1 END),
					count(CASE WHEN item_private THEN 1 END), COALESCE(max(created_at), 0)
				FROM connections WHERE channel_id = $1)
		WHERE id = $1`, id)
	if err != nil {
		return err
	}
	tx.moved(id, domain.TypeGroup) // or of a user, who has no such row
	if err := tx.recountLinks(ctx, id); err != nil {
		return err
	}
	return tx.Rebuild(ctx, id)
}

// Analyze tells the query planner what the tables hold now, where it asks.
func (s *Store) Analyze(ctx context.Context) error {
	return s.InTx(ctx, func(tx *Tx) error {
		if analyze := tx.d.analyze(); analyze != "" {
			return tx.exec(ctx, analyze)
		}
		return nil
	})
}

// load inserts rows, bulkRows to a statement, and gives the id of the first. Ids
// come in the order of the rows and without gaps, which is checked.
func load[T any](ctx context.Context, tx *Tx, table, columns string, all []T, values func(T) []any) (first int64, err error) {
	width := strings.Count(columns, ",") + 1
	next := int64(0)
	for rows := range slices.Chunk(all, bulkRows) {
		args := make([]any, 0, len(rows)*width)
		for _, row := range rows {
			args = append(args, values(row)...)
		}
		found, err := tx.q.Query(ctx, "INSERT INTO "+table+" ("+columns+") VALUES "+placeholders(len(rows), width)+
			" RETURNING id", args...)
		ids, err := collect(ctx, found, err, scanInt64)
		if err != nil {
			return 0, err
		}
		lowest, highest := slices.Min(ids), slices.Max(ids)
		if highest-lowest+1 != int64(len(rows)) || next != 0 && lowest != next {
			return 0, fmt.Errorf("store: loading %s: ids from %d to %d for %d rows, wanted from %d", table, lowest, highest, len(rows), next)
		}
		if first == 0 {
			first = lowest
		}
		next = highest + 1
	}
	return first, nil
}

// placeholders is "($1, $2), ($3, $4)" for 2 rows of 2.
func placeholders(rows, width int) string {
	var b strings.Builder
	for i := range rows * width {
		switch {
		case i == 0:
			b.WriteString("($")
		case i%width == 0:
			b.WriteString("), ($")
		default:
			b.WriteString(", $")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	return b.String() + ")"
}

// Package bulk processes many rows at once. It loads rows for imports and benchmarks, either given
// ones or series that the database generates, and stores batches of blocks that are created one by
// one.
package bulk

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes contains the statements of a transaction. Derived tables do not reflect loaded rows until
// FinishLoad, AddDocuments and FinishFollows have run. The caller is responsible for the derived
// columns of blocks and connections; Check verifies them.
type Writes struct {
	Reads
	deltas    *counters.Deltas
	documents *search.Index
}

// NewWrites returns the statements on the connection of a transaction. They register counts and
// documents with deltas and documents.
func NewWrites(db sqlx.Conn, deltas *counters.Deltas, documents *search.Index) Writes {
	return Writes{NewReads(db), deltas, documents}
}

// LoadBlocks writes the columns that CreateBlock writes, and returns the id of the first;
// the others follow without gaps. Nobody else may create blocks at the same time. The caller must
// call AddDocuments after everything is written and connected.
func (tx Writes) LoadBlocks(ctx context.Context, blocks []domain.Block) (domain.BlockID, error) {
	first, err := load(ctx, tx, rowmap.Blocks, blocks, func(b domain.Block) []any { return rowmap.BlockArgs(sqlx.Insert, &b) })
	return domain.BlockID(first), err
}

// LoadedConnection is a connection to write unchanged. Its position key and its creation time must
// be unique in the channel; ranked.InitialKey returns position keys.
type LoadedConnection struct {
	domain.Connection
	ItemUpdatedAt time.Time // updated_at of the block
}

// LoadConnections writes connections. The caller must then call FinishLoad for their channels.
func (tx Writes) LoadConnections(ctx context.Context, all []LoadedConnection) error {
	_, err := load(ctx, tx, rowmap.Connections, all, func(c LoadedConnection) []any {
		var updatedAt int64
		if c.Item.Type == domain.ItemBlock {
			updatedAt = sqlx.Micros(c.ItemUpdatedAt)
		}
		return rowmap.InsertConnection(&c.Connection, updatedAt)
	})
	return err
}

// load inserts rows, sqlx.BatchRows per statement, and returns the id of the first. It checks that
// the ids are in the order of the rows and without gaps.
func load[T, R any](ctx context.Context, tx Writes, table sqlx.Table[R], all []T, values func(T) []any) (first int64, err error) {
	next := int64(0)
	for rows := range slices.Chunk(all, sqlx.BatchRows) {
		var args []any
		for _, row := range rows {
			args = append(args, values(row)...)
		}
		found, err := tx.db.Query(ctx, table.InsertRows(len(rows))+" RETURNING id", args...)
		ids, err := sqlx.Collect(ctx, found, err, sqlx.ScanInt64)
		if err != nil {
			return 0, err
		}
		lowest, highest := slices.Min(ids), slices.Max(ids)
		if highest-lowest+1 != int64(len(rows)) || next != 0 && lowest != next {
			return 0, fmt.Errorf("store: loading %s: ids from %d to %d for %d rows, wanted from %d", table.Name, lowest, highest, len(rows), next)
		}
		if first == 0 {
			first = lowest
		}
		next = highest + 1
	}
	return first, nil
}

package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
	"vitrine/internal/store/changes"
	"vitrine/internal/store/sqlx"
)

// limitedReader runs the statements of requests whose token is limited to channels on a part of the database: tables
// without the rows outside of these channels. Other requests run them as they are.
//
// The part is a list of common table expressions that have the names of the tables, put in front of the statement. So no
// query can forget the limits.
type limitedReader struct {
	database.Querier
	dialect sqlx.Dialect
}

// Query implements database.Querier.
func (q limitedReader) Query(ctx context.Context, query string, args ...any) (database.Rows, error) {
	query, args = q.limit(ctx, query, args)
	return q.Querier.Query(ctx, query, args...)
}

// QueryRow implements database.Querier.
func (q limitedReader) QueryRow(ctx context.Context, query string, args ...any) database.Row {
	query, args = q.limit(ctx, query, args)
	return q.Querier.QueryRow(ctx, query, args...)
}

func (q limitedReader) limit(ctx context.Context, query string, args []any) (string, []any) {
	limits := scope.LimitsOf(ctx)
	if !limits.InChannels() {
		return query, args
	}
	param := "$" + strconv.Itoa(len(args)+1)
	var parts []string
	for _, table := range limitedTables {
		if strings.Contains(query, table.name) {
			parts = append(parts, table.name+" AS NOT MATERIALIZED (SELECT * FROM "+q.dialect.Table(table.name)+" AS l WHERE "+table.rows(q.dialect, param)+")")
		}
	}
	if len(parts) == 0 {
		return query, args
	}
	part := "WITH " + strings.Join(parts, ", ")
	if rest, ok := strings.CutPrefix(strings.TrimSpace(query), "WITH "); ok {
		query = part + ", " + rest
	} else {
		query = part + " " + query
	}
	return query, append(slices.Clone(args), sqlx.IDs(q.dialect, limits.Channels))
}

// limitedTables lists the tables with content of channels. rows selects, of the table `l`, the rows in the channels listed
// at a parameter. Changes of groups and deletions of users decide who sees the channels and the comments in them.
var limitedTables = []struct {
	name string
	rows func(d sqlx.Dialect, p string) string
}{
	{"channels", func(d sqlx.Dialect, p string) string { return d.In("l.id", p) }},
	{"connections", func(d sqlx.Dialect, p string) string {
		return d.In("l.channel_id", p) + " AND (l.item_type <> 'Channel' OR " + d.In("l.item_id", p) + ")"
	}},
	{"blocks", func(d sqlx.Dialect, p string) string { return inBlocks(d, "l.id", p) }},
	{"comments", func(d sqlx.Dialect, p string) string { return inBlocks(d, "l.block_id", p) }},
	{"changes", func(d sqlx.Dialect, p string) string {
		return "(" + d.In("l.channel_id", p) + " OR l.type = 'Channel' AND " + d.In("l.thing_id", p) +
			" OR l.type = 'Block' AND " + inBlocks(d, "l.thing_id", p) +
			" OR l.type = 'Comment' AND " + inBlocks(d, "l.item_id", p) +
			" OR l.type = 'User' AND l.kind = 'deleted' OR l.type = 'Group' AND l.kind IN ('joined', 'left', 'deleted'))"
	}},
}

// inBlocks is true if a column is the id of a block in one of the channels listed at a parameter.
func inBlocks(d sqlx.Dialect, column, p string) string {
	return "EXISTS (SELECT 1 FROM " + d.Table("connections") + " AS k WHERE k.item_type = 'Block' AND k.item_id = " + column +
		" AND " + d.In("k.channel_id", p) + ")"
}

// ErrOutside refuses a change outside of the channels that a token is limited to.
var ErrOutside = domain.NewForbidden("The token is limited to other channels")

// checkLimits refuses the transaction if its token is limited to channels and it changed anything outside of them. The
// recorded changes show what it changed.
func (tx *Tx) checkLimits(ctx context.Context) error {
	limits := tx.scope.Limits
	if !limits.InChannels() {
		return nil
	}
	l := within{tx: tx, channels: limits.Channels}
	for _, e := range tx.changes {
		switch {
		case e.Kind == domain.ChangeConnected:
			l.connected = append(l.connected, e.Channel)
		case e.Kind == domain.ChangeCreated && e.Type == domain.SubjectBlock:
			l.created = append(l.created, e.ID)
		}
	}
	for _, e := range tx.changes {
		inside, err := l.allows(ctx, e)
		if err != nil {
			return err
		}
		if !inside {
			return ErrOutside
		}
	}
	return nil
}

// mayLoad refuses to load a block for a change if the token is limited to channels that do not contain it. Otherwise a
// request that changes nothing, because all is as it asks, would return the block.
func (tx *Tx) mayLoad(ctx context.Context, block domain.Subject) error {
	limits := tx.scope.Limits
	if !limits.InChannels() {
		return nil
	}
	inside, err := within{tx: tx, channels: limits.Channels}.has(ctx, block, nil)
	if err == nil && !inside {
		err = ErrOutside
	}
	return err
}

// within checks the changes of a transaction.
type within struct {
	tx        *Tx
	channels  []domain.ChannelID
	connected []domain.ChannelID // to which the transaction connected something
	created   []int64            // blocks
}

func (l within) allows(ctx context.Context, e changes.Entry) (bool, error) {
	switch e.Type {
	case domain.SubjectChannel:
		return slices.Contains(l.channels, domain.ChannelID(e.ID)), nil
	case domain.SubjectConnection:
		if !slices.Contains(l.channels, e.Channel) {
			return false, nil
		}
		if e.Kind != domain.ChangeConnected {
			return true, nil
		}
		return l.hadItem(ctx, e.Item)
	case domain.SubjectBlock:
		if e.Kind == domain.ChangeDeleted { // by removing it from its last channels
			outside := func(id domain.ChannelID) bool { return !slices.Contains(l.channels, id) }
			return len(e.Channels) > 0 && !slices.ContainsFunc(e.Channels, outside), nil
		}
		return l.has(ctx, domain.Subject{Type: domain.SubjectBlock, ID: e.ID}, nil)
	case domain.SubjectComment:
		return l.has(ctx, e.Item, nil)
	}
	return false, nil
}

// hadItem reports whether an item that was connected was in the channels before, or is a new block. Otherwise a token
// could read anything by connecting it.
func (l within) hadItem(ctx context.Context, item domain.Subject) (bool, error) {
	if item.Type == domain.SubjectChannel {
		return slices.Contains(l.channels, domain.ChannelID(item.ID)), nil
	}
	if slices.Contains(l.created, item.ID) {
		return true, nil
	}
	return l.has(ctx, item, l.connected)
}

// has reports whether a block is in one of the channels, except some.
func (l within) has(ctx context.Context, block domain.Subject, except []domain.ChannelID) (found bool, err error) {
	db := l.tx.db
	err = db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM connections c WHERE c.item_type = 'Block' AND c.item_id = $1 AND "+
		db.In("c.channel_id", "$2")+" AND NOT ("+db.In("c.channel_id", "$3")+"))",
		block.ID, sqlx.IDs(db.Dialect, l.channels), sqlx.IDs(db.Dialect, except)).Scan(&found)
	return found, err
}

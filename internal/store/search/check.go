package search

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// DocumentChecks compare search documents with the rows that they are made from.
var DocumentChecks = []sqlx.Check{
	{What: "search_documents of nothing", Query: `SELECT d.item_id, d.seq, 0 FROM search_documents d WHERE CASE d.kind
		WHEN 'Block' THEN NOT EXISTS (SELECT 1 FROM blocks b WHERE b.id = d.item_id)
		WHEN 'Channel' THEN NOT EXISTS (SELECT 1 FROM channels ch WHERE ch.id = d.item_id AND ch.state = 'available')
		WHEN 'User' THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.id = d.item_id AND u.deleted_at IS NULL)
		ELSE NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = d.item_id) END`},
	undocumented("Block", "blocks", ""),
	undocumented("Channel", "channels", " AND r.state = 'available'"),
	undocumented("User", "users", " AND r.deleted_at IS NULL"),
	undocumented("Group", "groups", ""),
	documented("links of a block", "Block", "blocks", "d.links", "r.open_count"),
	documented("links of a channel", "Channel", "channels", "d.links", "("+openParents+"r.id)"),
	documented("open of a block", "Block", "blocks", "CASE WHEN d.open THEN 1 ELSE 0 END", "CASE WHEN r.open_count > 0 THEN 1 ELSE 0 END"),
	documented("open of a channel", "Channel", "channels", "CASE WHEN d.open THEN 1 ELSE 0 END",
		"CASE WHEN r.visibility <> 'private' THEN 1 ELSE 0 END"),
	documented("author_id of a block", "Block", "blocks", "d.author_id", "r.user_id"),
	documented("author_id of a channel", "Channel", "channels", "d.author_id", "r.user_id"),
	documented("created_at of a block", "Block", "blocks", "d.created_at", "r.created_at"),
	documented("created_at of a channel", "Channel", "channels", "d.created_at", "r.created_at"),
	documented("updated_at of a block", "Block", "blocks", "d.updated_at", "r.updated_at"),
	documented("updated_at of a channel", "Channel", "channels", "d.updated_at", "r.updated_at"),
	documented("updated_at of a user", "User", "users", "d.updated_at", "r.updated_at"),
	documented("updated_at of a group", "Group", "groups", "d.updated_at", "r.updated_at"),
	{What: "search_documents.type of a block", Query: `SELECT d.item_id, 1, 0 FROM search_documents d JOIN blocks b ON b.id = d.item_id
		WHERE d.kind = 'Block' AND d.type <> b.type`},
	{What: "search_closed missing for documents", Query: `SELECT d.item_id, 0, d.seq FROM search_documents d WHERE d.open = FALSE AND NOT EXISTS (
		SELECT 1 FROM search_closed h WHERE h.seq = d.seq AND h.author_id = CASE WHEN d.kind = 'Block' THEN d.author_id ELSE 0 END)`},
	{What: "search_closed of nothing closed", Query: `SELECT h.seq, h.seq, 0 FROM search_closed h WHERE NOT EXISTS (
		SELECT 1 FROM search_documents d WHERE d.seq = h.seq AND d.open = FALSE)`},
	{What: "search_words that are missing", Query: `SELECT d.item_id, 0, d.seq FROM search_documents d WHERE d.digest IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM search_words w WHERE w.rowid = d.seq)`},
}

// undocumented finds rows without a document.
func undocumented(kind, table, more string) sqlx.Check {
	return sqlx.Check{What: "search_documents missing for " + table, Query: `SELECT r.id, 0, 1 FROM ` + table + ` r WHERE NOT EXISTS (
		SELECT 1 FROM search_documents d WHERE d.kind = '` + kind + `' AND d.item_id = r.id)` + more}
}

// documented compares a column of documents with a value of `r`, the row of the item.
func documented(what, kind, table, column, actual string) sqlx.Check {
	return sqlx.Check{What: "search_documents." + what, Query: `SELECT id, stored, actual FROM (SELECT r.id AS id, ` + column + ` AS stored, ` +
		actual + ` AS actual FROM search_documents d JOIN ` + table + ` r ON r.id = d.item_id WHERE d.kind = '` + kind + `') AS x
		WHERE stored <> actual`}
}

// CheckWords compares what documents store of words with the items themselves and returns at most
// `limit` differences.
func CheckWords(ctx context.Context, db sqlx.Conn, limit int) (found []sqlx.Difference, err error) {
	for _, kind := range []domain.SubjectType{domain.SubjectBlock, domain.SubjectChannel, domain.SubjectUser, domain.SubjectGroup} {
		for last := int64(0); len(found) < limit; {
			last, err = checkSome(ctx, db, kind, last, &found)
			if err != nil {
				return found, err
			}
			if last == 0 {
				break
			}
		}
	}
	return found[:min(len(found), limit)], nil
}

// kept is what a document stores of words.
type kept struct {
	digest, source, value int64
	name, extension       string
}

func (d Document) kept(is digests) kept {
	return kept{is.texts, words.Source(d.source), words.Source(d.value), words.Key(d.title), d.extension}
}

// checkSome compares some documents of a kind with ids above the given one. It returns the last id,
// or 0 if no documents were left.
func checkSome(ctx context.Context, db sqlx.Conn, kind domain.SubjectType, above int64, found *[]sqlx.Difference) (last int64, err error) {
	things, err := read(ctx, db, kind, "id IN (SELECT item_id FROM search_documents WHERE kind = $1 AND item_id > $2 ORDER BY item_id LIMIT 500)", kind, above)
	if err != nil || len(things) == 0 {
		return 0, err
	}
	for _, d := range things {
		last = max(last, d.id)
	}
	stored := map[int64]kept{}
	rows, err := db.Query(ctx, `SELECT item_id, digest, source_key, value_key, name_key, extension FROM search_documents
		WHERE kind = $1 AND item_id > $2 AND item_id <= $3 AND digest IS NOT NULL`, kind, above, last)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (k kept, err error) {
		var id int64
		err = row.Scan(&id, &k.digest, &k.source, &k.value, &k.name, &k.extension)
		stored[id] = k
		return k, err
	})
	for _, d := range things {
		actual := d.kept(d.digests())
		if k, ok := stored[d.id]; ok && k != actual {
			*found = append(*found, sqlx.Difference{What: "search_documents of a " + string(kind), ID: d.id, Stored: k.digest, Actual: actual.digest})
		}
	}
	return last, err
}

// Repair rewrites the document of a locked item. For blocks and channels it also rewrites the
// columns that are otherwise only written once.
func (ix *Index) Repair(ctx context.Context, kind domain.SubjectType, id int64) error {
	err := ix.db.Exec(ctx, `UPDATE search_documents SET digest = NULL WHERE kind = $1 AND item_id = $2`, kind, id)
	if err == nil {
		ix.Refresh(kind, id)
		err = ix.Flush(ctx)
	}
	if err != nil {
		return err
	}
	var table, links string
	switch kind {
	case domain.SubjectBlock:
		table, links = "blocks", "r.open_count"
	case domain.SubjectChannel:
		table, links = "channels", "("+openParents+"r.id)"
	default:
		return nil
	}
	return ix.db.Exec(ctx, `UPDATE search_documents SET (author_id, links, created_at) = (
			SELECT r.user_id, `+links+`, r.created_at FROM `+table+` r WHERE r.id = $2)
		WHERE kind = $1 AND item_id = $2`, kind, id)
}

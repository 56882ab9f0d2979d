package search

import (
	"context"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// AddDocuments creates documents for the blocks that have none, oldest first, and counts the items
// of groups. It is for blocks that were written without CreateBlock. They can be found by their
// words after IndexPending has processed them.
func (w DocumentWrites) AddDocuments(ctx context.Context) error {
	ix := w.ix
	if err := ix.Flush(ctx); err != nil {
		return err
	}
	const missing = ` FROM blocks WHERE NOT EXISTS (
		SELECT 1 FROM search_documents d WHERE d.kind = 'Block' AND d.item_id = blocks.id)`
	err := ix.deltas.Contents(ctx, domain.TypeUser, `SELECT user_id, type, id % 8, count(CASE WHEN open_count > 0 THEN 1 END),
		count(CASE WHEN open_count = 0 THEN 1 END)`+missing+` GROUP BY user_id, type, id % 8`)
	if err != nil {
		return err
	}
	err = ix.db.Exec(ctx, `INSERT INTO search_documents (kind, item_id, type, author_id, open, links, random_key,
			created_at, updated_at)
		SELECT 'Block', id, type, user_id, open_count > 0, open_count, `+ix.db.Random()+`, created_at, updated_at`+missing+` ORDER BY created_at, id`)
	if err != nil {
		return err
	}
	return ix.refillGroups(ctx)
}

// DocumentColumns lists the columns of search_documents in the order of the values that Row returns.
const DocumentColumns = `seq, kind, item_id, type, author_id, open, name_key, extension, source_key, value_key, updated_at, digest,
	forms_digest, links, random_key, created_at`

// Row returns a row of search_documents for an item that is in `links` channels that are not
// private. LoadWords must write its words.
func (d Document) Row(seq, links, random int64) []any {
	values := []any{seq, string(d.kind), d.id, d.typ, int64(d.author)}
	return append(append(append(values, d.open), d.values(d.digests())[5:]...), links, random, d.created)
}

// FinishDocuments counts the items of users and groups, which are not counted yet, after all
// documents were written by a load.
func (w DocumentWrites) FinishDocuments(ctx context.Context) error {
	err := w.ix.db.Exec(ctx, `INSERT INTO content_counts (owner_type, owner_id, type, part, open, hidden)
		SELECT 'User', author_id, type, item_id % 8, count(CASE WHEN open THEN 1 END), count(CASE WHEN NOT open THEN 1 END)
		FROM search_documents WHERE kind IN ('Block', 'Channel') GROUP BY author_id, type, item_id % 8`)
	if err != nil {
		return err
	}
	return w.ix.refillGroups(ctx)
}

// refillGroups recounts the items of all groups after documents were loaded.
func (ix *Index) refillGroups(ctx context.Context) error {
	if err := ix.deltas.FlushCounts(ctx); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM group_items`,
		`DELETE FROM content_counts WHERE owner_type = 'Group'`,
		`INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at)
		SELECT owned.group_id, owned.kind, owned.item_id, d.type, owned.open_n, owned.private_n, owned.open_n > 0, d.created_at, d.updated_at FROM (
			SELECT group_id, kind, item_id, CAST(sum(open_n) AS BIGINT) AS open_n, CAST(sum(1 - open_n) AS BIGINT) AS private_n FROM (
				SELECT ch.owner_id AS group_id, c.item_type AS kind, c.item_id AS item_id,
					CASE WHEN ch.visibility = 'private' THEN 0 ELSE 1 END AS open_n
				FROM channels ch JOIN connections c ON c.channel_id = ch.id AND c.item_type = 'Block'
				WHERE ch.owner_type = 'Group' AND ch.state = 'available'
				UNION ALL SELECT owner_id, 'Channel', id, CASE WHEN visibility = 'private' THEN 0 ELSE 1 END
				FROM channels WHERE owner_type = 'Group' AND state = 'available') AS places
			GROUP BY group_id, kind, item_id) AS owned
		JOIN search_documents d ON d.kind = owned.kind AND d.item_id = owned.item_id`,
		`INSERT INTO content_counts (owner_type, owner_id, type, part, open, hidden)
		SELECT 'Group', group_id, type, item_id % 8, count(CASE WHEN open THEN 1 END), count(CASE WHEN NOT open THEN 1 END)
		FROM group_items GROUP BY group_id, type, item_id % 8`,
	} {
		if err := ix.db.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// RecountLinks recounts the channels that contain each channel in a channel.
func (ix *Index) RecountLinks(ctx context.Context, id domain.ChannelID) error {
	if err := ix.Flush(ctx); err != nil {
		return err
	}
	return ix.db.Exec(ctx, `UPDATE search_documents SET links = (`+openParents+`search_documents.item_id)
		WHERE kind = 'Channel' AND item_id IN (SELECT item_id FROM connections WHERE channel_id = $1 AND item_type = 'Channel')`, id)
}

// openParents counts the public and closed channels that contain a channel, as counted before
// pending transitions are done.
const openParents = `SELECT count(*) FROM connections c CROSS JOIN channels ch
	LEFT JOIN pending_transitions pt ON ` + access.InRun + `
	WHERE ch.id = c.channel_id AND ` + access.OpenApplied + ` > 0 AND c.item_type = 'Channel' AND c.item_id = `

// IndexPending writes the words of at most n documents that have none yet and returns how many it
// found. They were loaded, or are older than search.
func (w DocumentWrites) IndexPending(ctx context.Context, n int) (int, error) {
	ix := w.ix
	rows, err := ix.db.Query(ctx, `SELECT kind, item_id FROM search_documents WHERE digest IS NULL ORDER BY seq LIMIT $1`+
		ix.db.ForUpdate("search_documents"), n)
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (s domain.Subject, err error) {
		err = row.Scan(&s.Type, &s.ID)
		return s, err
	})
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		ix.Refresh(s.Type, s.ID)
	}
	return len(all), nil
}

// BeginWords prepares the database for loading the words of all documents and returns the
// statements that restore it. With SQLite, FTS5 keeps more words in memory before it writes a
// segment, so it merges fewer. PostgreSQL creates its indexes afterwards.
func (w DocumentWrites) BeginWords(ctx context.Context) (end []string, err error) {
	db := w.ix.db
	if db.Dialect == sqlx.SQLite {
		err := db.Exec(ctx, `INSERT INTO search_words (search_words, rank) VALUES ('hashsize', 16777216)`)
		return []string{`INSERT INTO search_words (search_words, rank) VALUES ('hashsize', 1048576)`}, err
	}
	rows, err := db.Query(ctx, `SELECT CAST(n.relname AS TEXT), pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class n ON n.oid = i.indexrelid
		WHERE i.indrelid = CAST('search_words' AS REGCLASS) AND NOT i.indisprimary`)
	names, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (name string, err error) {
		var made string
		err = row.Scan(&name, &made)
		end = append(end, made)
		return name, err
	})
	for _, name := range names {
		if err == nil {
			err = db.Exec(ctx, "DROP INDEX "+name)
		}
	}
	return append(end, "ANALYZE search_words"), err
}

// EndWords runs the statements that BeginWords returned.
func (w DocumentWrites) EndWords(ctx context.Context, statements []string) error {
	if w.ix.db.Dialect == sqlx.Postgres {
		if err := w.ix.db.Exec(ctx, database.MakeIndexesFaster); err != nil {
			return err
		}
	}
	for _, statement := range statements {
		if err := w.ix.db.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// LoadWords writes the words of the next n documents of a kind with ids above the given one, which
// have no words in the database yet. It returns the last id and the number of documents that it
// found. It skips documents that wait for IndexPending.
func (w DocumentWrites) LoadWords(ctx context.Context, kind domain.SubjectType, above int64, n int) (last int64, found int, err error) {
	ix := w.ix
	rows, err := ix.db.Query(ctx, `SELECT item_id, seq, digest, forms_digest FROM search_documents WHERE kind = $1 AND item_id > $2 ORDER BY item_id LIMIT $3`, kind, above, n)
	type row struct {
		id, seq, forms int64
		digest         *int64
	}
	documents := map[int64]row{}
	all, err := sqlx.Collect(ctx, rows, err, func(r sqlx.Row) (d row, err error) {
		err = r.Scan(&d.id, &d.seq, &d.digest, &d.forms)
		documents[d.id] = d
		return d, err
	})
	if err != nil || len(all) == 0 {
		return above, 0, err
	}
	last = all[len(all)-1].id
	table := map[domain.SubjectType]string{domain.SubjectBlock: "blocks", domain.SubjectChannel: "channels", domain.SubjectUser: "users", domain.SubjectGroup: "groups"}[kind]
	things, err := read(ctx, ix.db, kind, table+".id > $1 AND "+table+".id <= $2", above, last)
	if err != nil {
		return above, 0, err
	}
	var put []Words
	for _, d := range things {
		has, ok := documents[d.id]
		if !ok || has.digest == nil {
			continue
		}
		if is := d.digests(); !is.are(has.digest, has.forms) { // another version computed its words
			if err := ix.db.Exec(ctx, `UPDATE search_documents SET digest = $2, forms_digest = $3 WHERE seq = $1`, has.seq, is.texts, is.forms); err != nil {
				return above, 0, err
			}
		}
		put = append(put, Words{Seq: has.seq, Document: d.words()})
		ix.spellings.add(put[len(put)-1].Document)
	}
	if err := ix.writeSpellings(ctx); err != nil {
		return above, 0, err
	}
	for some := range slices.Chunk(put, sqlx.BatchRows) {
		query, args := PutAllWords(ix.db.Dialect, some)
		if err := ix.db.Exec(ctx, query, args...); err != nil {
			return above, 0, err
		}
	}
	return last, len(all), nil
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/cespare/xxhash/v2"

	"vitrine/internal/domain"
	"vitrine/internal/words"
)

// A document is what lists and search know of a block, channel, user or group: its row
// in search_documents, and its words in search_words. The methods of Tx that write
// names and texts of a thing write its document in the same transaction.

// document is a thing as search sees it.
type document struct {
	kind      domain.SubjectType
	id        int64
	typ       string
	author    domain.UserID
	open      bool
	links     int64
	title     string
	body      []string
	extension string
	source    string // addresses of pages
	value     string
	created   int64
	updated   int64
}

// digest tells documents with the same words from others.
func (d document) digest() int64 {
	h := xxhash.New()
	for _, text := range append([]string{d.title}, d.body...) {
		_, _ = h.WriteString(text) // never fails
		_, _ = h.WriteString("\x00")
	}
	return int64(h.Sum64())
}

// index writes the document of a thing, as it is now; it removes that of nothing.
func (tx *Tx) index(ctx context.Context, kind domain.SubjectType, id int64) error {
	all, err := tx.documents(ctx, kind, "id = $1", id)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return tx.unindex(ctx, kind, id)
	}
	return tx.putDocument(ctx, all[0])
}

// putDocument writes a document, and its words where they have changed.
func (tx *Tx) putDocument(ctx context.Context, d document) error {
	var seq int64
	var digest *int64
	was := d
	err := tx.q.QueryRow(ctx, `SELECT seq, digest, type, open, updated_at FROM search_documents WHERE kind = $1 AND item_id = $2`,
		d.kind, d.id).Scan(&seq, &digest, &was.typ, &was.open, &was.updated)
	values := []any{d.kind, d.id, d.typ, d.author, d.open, words.Key(d.title), d.extension,
		words.Source(d.source), words.Source(d.value), d.updated, d.digest()}
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.q.QueryRow(ctx, `INSERT INTO search_documents (kind, item_id, type, author_id, open, name_key, extension,
				source_key, value_key, updated_at, digest, links, random_key, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING seq`,
			append(values, d.links, rand.Int64(), d.created)...).Scan(&seq)
		tx.recount(domain.UserRef(d.author), d.typ, d.id, tallied(d.open, 1))
	} else if err == nil {
		err = tx.execOne(ctx, `UPDATE search_documents SET type = $3, author_id = $4, open = $5, name_key = $6,
			extension = $7, source_key = $8, value_key = $9, updated_at = $10, digest = $11 WHERE kind = $1 AND item_id = $2`, values...)
		if err == nil {
			err = tx.changed(ctx, was, d)
		}
	}
	if err != nil || digest != nil && *digest == d.digest() {
		return err
	}
	query, args := tx.d.putWords(seq, words.Make(d.title, d.body...))
	return tx.exec(ctx, query, args...)
}

// unindex removes the document of a thing.
func (tx *Tx) unindex(ctx context.Context, kind domain.SubjectType, id int64) error {
	var seq int64
	var was document
	err := tx.q.QueryRow(ctx, `DELETE FROM search_documents WHERE kind = $1 AND item_id = $2 RETURNING seq, author_id, type, open`,
		kind, id).Scan(&seq, &was.author, &was.typ, &was.open)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	tx.recount(domain.UserRef(was.author), was.typ, id, tallied(was.open, -1))
	return tx.exec(ctx, `DELETE FROM search_words WHERE rowid = $1`, seq)
}

// touchDocument carries a thing's time of change to its document.
func (tx *Tx) touchDocument(ctx context.Context, kind domain.SubjectType, id int64, now time.Time) error {
	return tx.exec(ctx, `UPDATE search_documents SET updated_at = $3 WHERE kind = $1 AND item_id = $2`, kind, id, micros(now))
}

// relink carries to the document of an item that it was put into a channel, or taken
// out (by -1). Private channels do not count: strangers see the order by it.
func (tx *Tx) relink(ctx context.Context, item domain.ItemRef, in domain.Visibility, by int64) error {
	if in == domain.Private {
		return nil
	}
	var d document
	err := tx.q.QueryRow(ctx, `UPDATE search_documents SET links = links + $3,
			open = CASE WHEN kind = 'Block' THEN links + $3 > 0 ELSE open END
		WHERE kind = $1 AND item_id = $2 RETURNING author_id, type, links`, item.Type, item.ID, by).Scan(&d.author, &d.typ, &d.links)
	if turned := d.links == max(by, 0); err == nil && turned && item.Type == domain.ItemBlock {
		tx.recount(domain.UserRef(d.author), d.typ, item.ID, tallies{open: by, hidden: -by})
	}
	return err
}

// relinkAll is relink for everything of a run in a channel.
func (tx *Tx) relinkAll(ctx context.Context, id domain.ChannelID, r run, by int64) error {
	if by == 0 {
		return nil
	}
	err := tx.exec(ctx, `UPDATE search_documents SET links = links + $4,
			open = CASE WHEN kind = 'Block' THEN links + $4 > 0 ELSE open END
		WHERE seq IN (SELECT x.seq FROM connections c JOIN search_documents x ON x.kind = c.item_type AND x.item_id = c.item_id
			WHERE `+inRun+` AND c.item_type IN ('Block', 'Channel'))`, id, r.after, r.upto, by)
	if err != nil {
		return err
	}
	return tx.recountTurned(ctx, id, r, by)
}

package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// Document is an item in the form that search needs.
type Document struct {
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

// digest returns a hash of the words.
func (d Document) digest() int64 {
	h := xxhash.New()
	for _, text := range append([]string{d.title}, d.body...) {
		_, _ = h.WriteString(text) // it never fails
		_, _ = h.WriteString("\x00")
	}
	return int64(h.Sum64())
}

// values returns the values of the columns that may change, after kind and id.
func (d Document) values() []any {
	return []any{d.kind, d.id, d.typ, d.author, d.open, words.Key(d.title), d.extension,
		words.Source(d.source), words.Source(d.value), d.updated, d.digest()}
}

// insertDocument writes a new document and its words.
func (ix *Index) insertDocument(ctx context.Context, d Document) error {
	err := ix.db.Later(ctx, `INSERT INTO search_documents (kind, item_id, type, author_id, open, name_key, extension,
			source_key, value_key, updated_at, digest, links, random_key, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		append(d.values(), d.links, rand.Int64(), d.created)...)
	if err != nil {
		return err
	}
	ix.deltas.Content(domain.UserRef(d.author), d.typ, d.id, counters.TallyOf(d.open, 1))
	ix.put(PutFirstWords(ix.db.Dialect, d.kind, d.id, words.Make(d.title, d.body...)))
	return nil
}

// put schedules a statement that writes words, to run after all documents are written.
func (ix *Index) put(query string, args []any) {
	ix.words = append(ix.words, documentStatement{query, args})
}

func (ix *Index) putWords(seq int64, d Document) {
	ix.put(PutWords(ix.db.Dialect, seq, words.Make(d.title, d.body...)))
}

// putDocument writes a document, and its words if they have changed.
func (ix *Index) putDocument(ctx context.Context, d Document) error {
	var seq int64
	var digest *int64
	was := d
	err := ix.db.QueryRow(ctx, `SELECT seq, digest, type, open, updated_at FROM search_documents WHERE kind = $1 AND item_id = $2`,
		d.kind, d.id).Scan(&seq, &digest, &was.typ, &was.open, &was.updated)
	if errors.Is(err, database.ErrNoRows) {
		return ix.insertDocument(ctx, d)
	}
	if err != nil {
		return err
	}
	err = ix.db.ExecOne(ctx, `UPDATE search_documents SET type = $3, author_id = $4, open = $5, name_key = $6,
		extension = $7, source_key = $8, value_key = $9, updated_at = $10, digest = $11 WHERE kind = $1 AND item_id = $2`, d.values()...)
	if err == nil {
		err = ix.changed(ctx, was, d)
	}
	if err != nil || digest != nil && *digest == d.digest() {
		return err
	}
	ix.putWords(seq, d)
	return nil
}

// rewordDocument updates the texts and the time of change of a document.
func (ix *Index) rewordDocument(ctx context.Context, d Document) error {
	var seq int64
	var digest *int64
	err := ix.db.QueryRow(ctx, `SELECT seq, digest FROM search_documents WHERE kind = $1 AND item_id = $2`, d.kind, d.id).Scan(&seq, &digest)
	if err != nil {
		return err
	}
	err = ix.db.Exec(ctx, `UPDATE search_documents SET name_key = $2, source_key = $3, value_key = $4, updated_at = $5, digest = $6 WHERE seq = $1`,
		seq, words.Key(d.title), words.Source(d.source), words.Source(d.value), d.updated, d.digest())
	if err != nil {
		return err
	}
	if err := ix.touchGroupItems(ctx, d, d.typ); err != nil || digest != nil && *digest == d.digest() {
		return err
	}
	ix.putWords(seq, d)
	return nil
}

// Remove deletes the document of an item.
func (ix *Index) Remove(ctx context.Context, kind domain.SubjectType, id int64) error {
	if err := ix.flushWords(ctx); err != nil { // they may belong to this document
		return err
	}
	ix.pending = slices.DeleteFunc(ix.pending, func(p *pendingDocument) bool { return p.kind == kind && p.id == id })
	var seq int64
	var was Document
	err := ix.db.QueryRow(ctx, `DELETE FROM search_documents WHERE kind = $1 AND item_id = $2 RETURNING seq, author_id, type, open`,
		kind, id).Scan(&seq, &was.author, &was.typ, &was.open)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	ix.deltas.Content(domain.UserRef(was.author), was.typ, id, counters.TallyOf(was.open, -1))
	return ix.db.Exec(ctx, `DELETE FROM search_words WHERE rowid = $1`, seq)
}

// Touch copies the time of change of an item to its document.
func (ix *Index) Touch(ctx context.Context, kind domain.SubjectType, id int64, now time.Time) error {
	if ix.pendingOf(kind, id) != nil {
		ix.Refresh(kind, id)
		return nil
	}
	return ix.db.Exec(ctx, `UPDATE search_documents SET updated_at = $3 WHERE kind = $1 AND item_id = $2`, kind, id, sqlx.Micros(now))
}

// Relink updates the document of an item that was added to a channel (by 1) or removed (by -1).
// Private channels do not count, because strangers see the order by this number.
func (ix *Index) Relink(ctx context.Context, item domain.ItemRef, in domain.Visibility, by int64) error {
	if in == domain.Private {
		return nil
	}
	if p := ix.pendingOf(domain.SubjectType(item.Type), item.ID); p != nil && p.fresh {
		p.links += by
		if item.Type == domain.ItemBlock {
			p.open = p.links > 0
		}
		return nil
	}
	var d Document
	err := ix.db.QueryRow(ctx, `UPDATE search_documents SET links = links + $3,
			open = CASE WHEN kind = 'Block' THEN links + $3 > 0 ELSE open END
		WHERE kind = $1 AND item_id = $2 RETURNING author_id, type, links`, item.Type, item.ID, by).Scan(&d.author, &d.typ, &d.links)
	if turned := d.links == max(by, 0); err == nil && turned && item.Type == domain.ItemBlock {
		ix.deltas.Content(domain.UserRef(d.author), d.typ, item.ID, counters.Tally{Open: by, Hidden: -by})
	}
	return err
}

// RelinkAll is Relink for all items of a run in a channel.
func (ix *Index) RelinkAll(ctx context.Context, id domain.ChannelID, r access.Run, by int64) error {
	if by == 0 {
		return nil
	}
	if err := ix.Flush(ctx); err != nil {
		return err
	}
	err := ix.db.Exec(ctx, `UPDATE search_documents SET links = links + $4,
			open = CASE WHEN kind = 'Block' THEN links + $4 > 0 ELSE open END
		WHERE seq IN (SELECT x.seq FROM connections c JOIN search_documents x ON x.kind = c.item_type AND x.item_id = c.item_id
			WHERE `+access.OfRun+` AND c.item_type IN ('Block', 'Channel'))`, id, r.After, r.Upto, by)
	if err != nil {
		return err
	}
	return ix.recountTurned(ctx, id, r, by)
}

// changed registers the difference between the old and the new document with the counts and the
// groups.
func (ix *Index) changed(ctx context.Context, was, is Document) error {
	if is.kind != domain.SubjectBlock && is.kind != domain.SubjectChannel {
		return nil
	}
	ix.deltas.Content(domain.UserRef(is.author), was.typ, is.id, counters.TallyOf(was.open, -1))
	ix.deltas.Content(domain.UserRef(is.author), is.typ, is.id, counters.TallyOf(is.open, 1))
	if was.typ == is.typ && was.updated == is.updated {
		return nil
	}
	return ix.touchGroupItems(ctx, is, was.typ)
}

// recountTurned registers the blocks of a run in a channel that became open or hidden when the
// channel was added (by 1) or removed (by -1): those that are now in one open channel, or in none.
func (ix *Index) recountTurned(ctx context.Context, id domain.ChannelID, r access.Run, by int64) error {
	return ix.deltas.Contents(ctx, domain.TypeUser, `SELECT d.author_id, d.type, d.item_id % 8,
			count(*) * CAST($4 AS BIGINT), -count(*) * CAST($4 AS BIGINT)
		FROM connections c JOIN search_documents d ON d.kind = c.item_type AND d.item_id = c.item_id
		WHERE `+access.OfRun+` AND c.item_type = 'Block' AND d.links = $5
		GROUP BY d.author_id, d.type, d.item_id % 8`, id, r.After, r.Upto, by, max(by, 0))
}

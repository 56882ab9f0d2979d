package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// Index collects the documents that a transaction changes. Flush writes each of them once, at its
// end: new ones as they are known, changed ones as it then reads them. The store flushes it before
// the counts, because it adds to them.
type Index struct {
	db      sqlx.Conn
	deltas  *counters.Deltas
	pending []*pendingDocument
	words   []documentStatement // they write the words of documents that were written
	spellings
}

type documentStatement struct {
	query string
	args  []any
}

// Use makes the index write documents on the connection of the transaction and register counts
// with deltas. It does not write the words in spelled again.
func (ix *Index) Use(db sqlx.Conn, deltas *counters.Deltas, spelled *Spelled) {
	ix.db, ix.deltas, ix.known = db, deltas, spelled
}

// DocumentWrites contains the statements of a transaction on many documents, after a load.
type DocumentWrites struct{ ix *Index }

// NewDocumentWrites returns the statements on the index of a transaction.
func NewDocumentWrites(ix *Index) DocumentWrites { return DocumentWrites{ix} }

// pendingDocument is a document to write.
type pendingDocument struct {
	Document
	fresh bool // it has no row yet
	stale bool // only its kind, id and links are known
}

// pendingOf returns the pending document of an item, or nil if the item has no pending document.
func (ix *Index) pendingOf(kind domain.SubjectType, id int64) *pendingDocument {
	for _, p := range ix.pending {
		if p.kind == kind && p.id == id {
			return p
		}
	}
	return nil
}

// Add schedules writing the document of a new item.
func (ix *Index) Add(d Document) {
	ix.pending = append(ix.pending, &pendingDocument{Document: d, fresh: true})
}

// Refresh schedules writing the document of an item that was changed or deleted.
func (ix *Index) Refresh(kind domain.SubjectType, id int64) {
	p := ix.pendingOf(kind, id)
	if p == nil {
		p = &pendingDocument{Document: Document{kind: kind, id: id}}
		ix.pending = append(ix.pending, p)
	}
	p.stale = true
}

// Reword schedules writing the document of an item if only its texts or times changed.
func (ix *Index) Reword(d Document) {
	if ix.pendingOf(d.kind, d.id) != nil {
		ix.Refresh(d.kind, d.id)
		return
	}
	ix.pending = append(ix.pending, &pendingDocument{Document: d})
}

// Empty reports whether no document is pending.
func (ix *Index) Empty() bool { return len(ix.pending) == 0 }

// Join adds the documents of another transaction. The other index keeps them too, unchanged, in
// case this write is rolled back.
func (ix *Index) Join(o *Index) {
	for _, p := range o.pending {
		document := *p
		ix.pending = append(ix.pending, &document)
	}
}

// Flush writes the pending documents. It must be called before a statement on the documents of
// many items.
func (ix *Index) Flush(ctx context.Context) error {
	pending := ix.pending
	ix.pending = nil
	for _, p := range pending {
		if err := ix.writeDocument(ctx, p); err != nil {
			return err
		}
	}
	return ix.flushWords(ctx)
}

// Settle writes the documents whose content must still be read, and reads the content of new ones.
// The remaining documents can then be written later, together with the changes of other
// transactions, without reading any of these.
func (ix *Index) Settle(ctx context.Context) error {
	pending := ix.pending
	ix.pending = nil
	for _, p := range pending {
		switch {
		case !p.stale:
			ix.pending = append(ix.pending, p)
			continue
		case !p.fresh:
			if err := ix.writeDocument(ctx, p); err != nil {
				return err
			}
			continue
		}
		if there, err := ix.complete(ctx, p); err != nil {
			return err
		} else if there {
			ix.pending = append(ix.pending, p)
		}
	}
	return ix.flushWords(ctx)
}

// complete reads the content of a new document and reports whether its item still exists. The item may be in groups
// already, with what the document contained before.
func (ix *Index) complete(ctx context.Context, p *pendingDocument) (bool, error) {
	all, err := read(ctx, ix.db, p.kind, "id = $1", p.id)
	if err != nil || len(all) == 0 {
		return false, err
	}
	was := p.Document
	all[0].links = p.links
	if p.Document, p.stale = all[0], false; p.updated == was.updated && p.typ == was.typ {
		return true, nil
	}
	return true, ix.touchGroupItems(ctx, p.Document, was.typ)
}

// flushWords writes the words of documents one after the other. Any statement in between that can
// be rolled back would make FTS5 write a segment of its index.
func (ix *Index) flushWords(ctx context.Context) error {
	if err := ix.writeSpellings(ctx); err != nil {
		return err
	}
	statements := ix.words
	ix.words = nil
	for _, s := range statements {
		if err := ix.db.Later(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

func (ix *Index) writeDocument(ctx context.Context, p *pendingDocument) error {
	if p.fresh {
		if p.stale {
			if there, err := ix.complete(ctx, p); err != nil || !there {
				return err
			}
		}
		return ix.insertDocument(ctx, p.Document)
	}
	if p.stale {
		all, err := read(ctx, ix.db, p.kind, "id = $1", p.id)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return ix.Remove(ctx, p.kind, p.id)
		}
		return ix.putDocument(ctx, all[0])
	}
	return ix.rewordDocument(ctx, p.Document)
}

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
	marks     []string // of the sites of its source, its metadata, and the colours of its image
	extension string
	source    string // addresses of pages
	value     string
	created   int64
	updated   int64
}

// digests are hashes of the texts and marks of a document. They show whether its words have to be written again.
type digests struct {
	texts int64
	forms int64 // of everything that forms and marks depend on; apart, because previous versions compare texts as well
}

func (d Document) digests() (all digests) {
	all.texts = digestOf(append([]string{d.title}, d.body...))
	all.forms = digestOf(append([]string{words.FormsVersion, strconv.FormatInt(all.texts, 36)}, d.marks...))
	return all
}

func digestOf(texts []string) int64 {
	h := xxhash.New()
	for _, text := range texts {
		_, _ = h.WriteString(text) // it never fails
		_, _ = h.WriteString("\x00")
	}
	return int64(h.Sum64())
}

// words returns the words of the document.
func (d Document) words() words.Document {
	all := words.Make(d.title, d.body...)
	all.BodyForms = append(all.BodyForms, d.marks...)
	return all
}

// values returns the values of the columns that may change, after kind and id.
func (d Document) values(is digests) []any {
	return []any{d.kind, d.id, d.typ, d.author, d.open, words.Key(d.title), d.extension,
		words.Source(d.source), words.Source(d.value), d.updated, is.texts, is.forms}
}

// insertDocument writes a new document and its words.
func (ix *Index) insertDocument(ctx context.Context, d Document) error {
	err := ix.db.Later(ctx, `INSERT INTO search_documents (kind, item_id, type, author_id, open, name_key, extension,
			source_key, value_key, updated_at, digest, forms_digest, links, random_key, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		append(d.values(d.digests()), d.links, rand.Int64(), d.created)...)
	if err != nil {
		return err
	}
	ix.deltas.Content(domain.UserRef(d.author), d.typ, d.id, counters.TallyOf(d.open, 1))
	all := d.words()
	ix.spellings.add(all)
	ix.put(PutFirstWords(ix.db.Dialect, d.kind, d.id, all))
	return nil
}

// put schedules a statement that writes words, to run after all documents are written.
func (ix *Index) put(query string, args []any) {
	ix.words = append(ix.words, documentStatement{query, args})
}

func (ix *Index) putWords(seq int64, d Document) {
	all := d.words()
	ix.spellings.add(all)
	ix.put(PutWords(ix.db.Dialect, seq, all))
}

// are reports whether words are stored with the same digests.
func (is digests) are(texts *int64, forms int64) bool {
	return texts != nil && (digests{*texts, forms}) == is
}

// putDocument writes a document, and its words if they have changed.
func (ix *Index) putDocument(ctx context.Context, d Document) error {
	var seq, forms int64
	var texts *int64
	was, is := d, d.digests()
	err := ix.db.QueryRow(ctx, `SELECT seq, digest, forms_digest, type, open, updated_at FROM search_documents WHERE kind = $1 AND item_id = $2`,
		d.kind, d.id).Scan(&seq, &texts, &forms, &was.typ, &was.open, &was.updated)
	if errors.Is(err, database.ErrNoRows) {
		return ix.insertDocument(ctx, d)
	}
	if err != nil {
		return err
	}
	err = ix.db.ExecOne(ctx, `UPDATE search_documents SET type = $3, author_id = $4, open = $5, name_key = $6,
		extension = $7, source_key = $8, value_key = $9, updated_at = $10, digest = $11, forms_digest = $12 WHERE kind = $1 AND item_id = $2`, d.values(is)...)
	if err == nil {
		err = ix.changed(ctx, was, d)
	}
	if err != nil || is.are(texts, forms) {
		return err
	}
	ix.putWords(seq, d)
	return nil
}

// rewordDocument updates the texts and the time of change of a document.
func (ix *Index) rewordDocument(ctx context.Context, d Document) error {
	var seq, forms int64
	var texts *int64
	is := d.digests()
	err := ix.db.QueryRow(ctx, `SELECT seq, digest, forms_digest FROM search_documents WHERE kind = $1 AND item_id = $2`, d.kind, d.id).
		Scan(&seq, &texts, &forms)
	if err != nil {
		return err
	}
	err = ix.db.Exec(ctx, `UPDATE search_documents SET name_key = $2, source_key = $3, value_key = $4, updated_at = $5, digest = $6, forms_digest = $7 WHERE seq = $1`,
		seq, words.Key(d.title), words.Source(d.source), words.Source(d.value), d.updated, is.texts, is.forms)
	if err != nil {
		return err
	}
	if err := ix.touchGroupItems(ctx, d, d.typ); err != nil || is.are(texts, forms) {
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

package search

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
)

// Index collects the documents that a transaction changes. Flush writes each of them once, at its
// end: new ones as they are known, changed ones as it then reads them. The store flushes it before
// the counts, because it adds to them.
type Index struct {
	db      sqlx.Conn
	deltas  *counters.Deltas
	pending []*pendingDocument
	words   []documentStatement // they write the words of documents that were written
}

type documentStatement struct {
	query string
	args  []any
}

// Use makes the index write documents on the connection of the transaction and register counts
// with deltas.
func (ix *Index) Use(db sqlx.Conn, deltas *counters.Deltas) { ix.db, ix.deltas = db, deltas }

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

// complete reads the content of a new document and reports whether its item still exists.
func (ix *Index) complete(ctx context.Context, p *pendingDocument) (bool, error) {
	all, err := read(ctx, ix.db, p.kind, "id = $1", p.id)
	if err != nil || len(all) == 0 {
		return false, err
	}
	all[0].links = p.links
	p.Document, p.stale = all[0], false
	return true, nil
}

// flushWords writes the words of documents one after the other. Any statement in between that can
// be rolled back would make FTS5 write a segment of its index.
func (ix *Index) flushWords(ctx context.Context) error {
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

package documents

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
)

// Index has the documents that a transaction changes. Each is written once, at its end, by
// Flush: what is new as it is known, what has changed as it is then read. The store flushes
// it before the counts, to which it adds.
type Index struct {
	db      sqlx.Conn
	deltas  *counters.Deltas
	pending []*pendingDocument
	words   []statement // that write words of documents that were written
}

type statement struct {
	query string
	args  []any
}

// Use has the documents written on the connection of the transaction, and what they change
// of counts registered.
func (ix *Index) Use(db sqlx.Conn, deltas *counters.Deltas) { ix.db, ix.deltas = db, deltas }

// Writes are the statements of a transaction on many documents: after a load.
type Writes struct{ ix *Index }

// NewWrites gives the statements over the index of a transaction.
func NewWrites(ix *Index) Writes { return Writes{ix} }

// pendingDocument is a document to be written.
type pendingDocument struct {
	Document
	fresh bool // it has no row yet
	stale bool // of its content only kind, id and links are known
}

// pendingOf gives the document of a thing that is to be written, nil if there is none.
func (ix *Index) pendingOf(kind domain.SubjectType, id int64) *pendingDocument {
	for _, p := range ix.pending {
		if p.kind == kind && p.id == id {
			return p
		}
	}
	return nil
}

// Add has the document of something new written.
func (ix *Index) Add(d Document) {
	ix.pending = append(ix.pending, &pendingDocument{Document: d, fresh: true})
}

// Refresh has the document of a thing that changed, or is gone, written.
func (ix *Index) Refresh(kind domain.SubjectType, id int64) {
	p := ix.pendingOf(kind, id)
	if p == nil {
		p = &pendingDocument{Document: Document{kind: kind, id: id}}
		ix.pending = append(ix.pending, p)
	}
	p.stale = true
}

// Reword has the document of a thing written whose texts or time alone have changed.
func (ix *Index) Reword(d Document) {
	if ix.pendingOf(d.kind, d.id) != nil {
		ix.Refresh(d.kind, d.id)
		return
	}
	ix.pending = append(ix.pending, &pendingDocument{Document: d})
}

// Empty reports whether no document is to be written.
func (ix *Index) Empty() bool { return len(ix.pending) == 0 }

// Join has the documents of another transaction written after one's own. That one keeps them,
// and they are written as they are known there, in case that is undone.
func (ix *Index) Join(o *Index) {
	for _, p := range o.pending {
		document := *p
		ix.pending = append(ix.pending, &document)
	}
}

// Flush writes the documents that wait for it. A statement over the documents of many
// things needs it before.
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

// Settle writes the documents of which the content is yet to be read, and reads it of new ones:
// what waits beyond the transaction must not be read among the changes of another.
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

// complete reads the content of a new document, and reports whether its thing is still there.
func (ix *Index) complete(ctx context.Context, p *pendingDocument) (bool, error) {
	all, err := read(ctx, ix.db, p.kind, "id = $1", p.id)
	if err != nil || len(all) == 0 {
		return false, err
	}
	all[0].links = p.links
	p.Document, p.stale = all[0], false
	return true, nil
}

// flushWords writes the words of the documents that were written, one after the other: between
// two of them FTS5 would write a segment of its index for any statement that notes how to take
// its changes back.
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

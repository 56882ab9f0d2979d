package moderation

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
)

// Look is a thing as shown to an operator who decides about it.
type Look struct {
	SubjectDetails
	Hidden   *HiddenSubject                   // nil if it is not hidden
	Contents domain.List[collections.Content] // of a channel, as its owner sees them
}

// Part is a part of a thing to look at.
type Part string

// The parts. Their names appear in the audit log.
const (
	Words   Part = "" // everything except the other parts
	Picture Part = "picture"
	File    Part = "file"
)

// has reports whether a thing has the part.
func (t SubjectDetails) has(p Part) bool {
	switch b := t.What.Block; p {
	case Picture:
		return b != nil && b.Image != nil
	case File:
		return b != nil && b.File != nil
	}
	return p == Words
}

// Look reads a reported or hidden block, channel or comment for an operator, regardless of its visibility, with a page
// of a channel's contents. This includes the shown blocks of such a channel, the block of such a comment, and everything
// of a hidden person. Anything else is NotFound: operators have no reason to read other private things. The access and
// the part are written to the audit log before reading.
func (a *Moderation) Look(ctx context.Context, by operating.Operator, what domain.Subject, part Part, page domain.Page) (l Look, err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		concerns, err := tx.Hiding().ConcernsOperators(ctx, what)
		if err != nil {
			return err
		}
		if !concerns {
			return domain.NewNotFound()
		}
		t, err := readAny(ctx, tx.Queries, what)
		if err != nil {
			return err
		}
		if !t.has(part) {
			return domain.NewNotFound()
		}
		var details map[string]any
		if part != Words {
			details = map[string]any{"part": part}
		}
		return a.Audit(ctx, tx, by.Actor(), domain.ActViewed, t.About, details)
	})
	if err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if l.SubjectDetails, err = readAny(ctx, v.Queries, what); err == nil && !l.has(part) { // it may have changed in the meantime
			err = domain.NewNotFound()
		}
		if err != nil {
			return err
		}
		if h, err := v.Hiding().HiddenSubject(ctx, what); err == nil {
			l.Hidden = &h
		} else if domain.KindOf(err) != domain.NotFound {
			return err
		}
		if l.What.Channel == nil {
			return nil
		}
		q := contents.Query{Viewer: l.Owner, Channel: *l.What.Channel, Sort: domain.ContentSort{Key: domain.ByPosition, Desc: true}, Page: page}
		in, err := v.Contents().Contents(ctx, q)
		if err != nil {
			return err
		}
		l.Contents.Total = in.Total
		l.Contents.Items, err = collections.Items(ctx, v.Queries, domain.Actor{UserID: l.Owner}, in.Items)
		return err
	})
	return l, err
}

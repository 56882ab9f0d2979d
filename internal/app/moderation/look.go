package moderation

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
)

// Look is a thing as an operator sees it who is to decide about it.
type Look struct {
	Thing
	Hidden   *HiddenThing                     // nil where it is not hidden
	Contents domain.List[collections.Content] // of a channel, as who answers for it sees them
}

// Part is what of a thing is looked at.
type Part string

// The parts. Their names are in the audit log.
const (
	Words   Part = "" // all but these:
	Picture Part = "picture"
	File    Part = "file"
)

// has reports whether there is such a part of a thing.
func (t Thing) has(p Part) bool {
	switch b := t.What.Block; p {
	case Picture:
		return b != nil && b.Image != nil
	case File:
		return b != nil && b.File != nil
	}
	return p == Words
}

// Look shows an operator a block, channel or comment that is reported or hidden, whoever else sees
// it, and of a channel a page of what is in it. So are the blocks shown of a channel, the one that a
// comment is on, and those of who was hidden as a whole. All else is NotFound: to run a site is no
// reason to read what is private. That they looked, and at what part, is in the audit log before it is
// read.
func (a *Moderation) Look(ctx context.Context, by operating.Operator, what domain.Subject, part Part, page domain.Page) (l Look, err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		concerns, err := tx.ConcernsOperators(ctx, what)
		if err != nil {
			return err
		}
		if !concerns {
			return domain.NewNotFound()
		}
		t, err := whole(ctx, tx.Queries, what)
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
		if l.Thing, err = whole(ctx, v.Queries, what); err == nil && !l.has(part) { // it was changed meanwhile
			err = domain.NewNotFound()
		}
		if err != nil {
			return err
		}
		if h, err := v.HiddenThing(ctx, what); err == nil {
			l.Hidden = &h
		} else if domain.KindOf(err) != domain.NotFound {
			return err
		}
		if l.What.Channel == nil {
			return nil
		}
		q := contents.Query{Viewer: l.Owner, Channel: *l.What.Channel, Sort: domain.ContentSort{Key: domain.ByPosition, Desc: true}, Page: page}
		in, err := v.Contents(ctx, q)
		if err != nil {
			return err
		}
		l.Contents.Total = in.Total
		l.Contents.Items, err = collections.Items(ctx, v.Queries, domain.Actor{UserID: l.Owner}, in.Items)
		return err
	})
	return l, err
}

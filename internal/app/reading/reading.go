// Package reading contains the use cases of reading: the texts of blocks, the passages that readers highlight in them, and
// how far they have read.
package reading

import (
	"context"
	"slices"
	"strconv"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/store"
)

// Reading contains the use cases.
type Reading struct{ *core.Core }

// New creates the use cases.
func New(c *core.Core) *Reading { return &Reading{c} }

// errGuest is the error for guests, who have no highlights.
var errGuest = domain.NewUnauthenticated("Sign in to highlight passages")

// Highlight is a highlight with its block. Lost is set if the block's text does not contain the passage any more. A list
// of all highlights does not set it.
type Highlight struct {
	domain.Highlight
	On   *domain.Block
	Lost bool
}

// Opened is a block that is read. Highlights and Place are those of the reader.
type Opened struct {
	Block      domain.Block
	Highlights []Highlight
	Place      int64 // up to domain.MaxPlace
}

// Open returns a Link or Text block that the actor may see. It may have no text that can be read.
func (a *Reading) Open(ctx context.Context, actor domain.Actor, id domain.BlockID) (o Opened, err error) {
	if o.Block, err = a.Store.Block(ctx, actor.UserID, id); err != nil || !actor.SignedIn() {
		return o, err
	}
	if o.Highlights, err = a.on(ctx, actor, &o.Block); err == nil {
		o.Place, err = a.Store.Reading().Place(ctx, actor.UserID, id)
	}
	return o, err
}

// on lists the actor's highlights on a block in the order of its text; passages that it does not contain come last.
func (a *Reading) on(ctx context.Context, actor domain.Actor, b *domain.Block) ([]Highlight, error) {
	stored, err := a.Store.Reading().HighlightsOn(ctx, actor.UserID, b.ID)
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	text := Characters(b)
	all := make([]Highlight, len(stored))
	for i, h := range stored {
		all[i] = Highlight{Highlight: h, On: b}
		if found, ok := h.Quote.In(text); ok {
			all[i].Quote = found
		} else {
			all[i].Lost = true
		}
	}
	slices.SortStableFunc(all, func(a, b Highlight) int {
		if a.Lost != b.Lost {
			if a.Lost {
				return 1
			}
			return -1
		}
		return a.Quote.Start - b.Quote.Start
	})
	return all, nil
}

// Characters returns the text in which passages of a block are found.
func Characters(b *domain.Block) string {
	if !b.Readable() {
		return ""
	}
	return markup.Characters(b.Content.HTML)
}

// HighlightsOn lists the actor's highlights on a block that they may see, in the order of its text.
func (a *Reading) HighlightsOn(ctx context.Context, actor domain.Actor, id domain.BlockID) ([]Highlight, error) {
	if !actor.SignedIn() {
		return nil, errGuest
	}
	o, err := a.Open(ctx, actor, id)
	return o.Highlights, err
}

// Highlights lists a page of the actor's highlights, the newest first. Those on blocks that they may not see any more are
// left out until they may again.
func (a *Reading) Highlights(ctx context.Context, actor domain.Actor, p domain.Page) (l domain.List[Highlight], err error) {
	if !actor.SignedIn() {
		return l, errGuest
	}
	if err := p.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		found, err := v.Reading().Highlights(ctx, actor.UserID, p)
		if err != nil {
			return err
		}
		l = domain.List[Highlight]{Total: found.Total}
		ids := make([]domain.BlockID, len(found.Items))
		for i, h := range found.Items {
			ids[i] = h.Block
		}
		slices.Sort(ids)
		blocks, err := v.Blocks().BlocksByID(ctx, slices.Compact(ids))
		for _, h := range found.Items {
			if b := blocks[h.Block]; b != nil {
				l.Items = append(l.Items, Highlight{Highlight: h, On: b})
			}
		}
		return err
	})
	return l, err
}

// Highlight returns a highlight of the actor on a block that they may see.
func (a *Reading) Highlight(ctx context.Context, actor domain.Actor, id domain.HighlightID) (Highlight, error) {
	stored, err := a.Store.Reading().Highlight(ctx, actor.UserID, id)
	if err != nil {
		return Highlight{}, err
	}
	all, err := a.HighlightsOn(ctx, actor, stored.Block)
	for _, h := range all {
		if h.ID == id {
			return h, nil
		}
	}
	if err == nil { // it was deleted in the meantime
		err = domain.NewNotFound()
	}
	return Highlight{}, err
}

// HighlightInput is a passage to highlight, and a note about it. Only Exact is needed to find the passage.
type HighlightInput struct {
	Quote domain.Quote
	Note  string
}

// Validate checks the passage and the note.
func (in HighlightInput) Validate() error {
	var f domain.Faults
	f.CheckQuote(in.Quote)
	f.Text("note", in.Note, domain.MaxNote)
	return f.Err()
}

// AddHighlight highlights a passage of a block for the actor. Highlighting the same passage again returns the first
// highlight unchanged, and again is true.
func (a *Reading) AddHighlight(ctx context.Context, actor domain.Actor, id domain.BlockID, in HighlightInput) (h Highlight, again bool, err error) {
	if err := in.Validate(); err != nil {
		return h, false, err
	}
	if !actor.SignedIn() {
		return h, false, errGuest
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		h, again = Highlight{}, false
		if _, err := tx.Users().LockUser(ctx, actor.UserID); err != nil { // so that requests at once do not exceed the limits
			return err
		}
		b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		quote, ok := in.Quote.In(Characters(&b))
		if !ok {
			return domain.NewUnprocessable("The text of the block does not contain this passage")
		}
		var f domain.Faults
		if !f.Text("exact", quote.Exact, domain.MaxQuote) {
			return f.Err()
		}
		on, err := tx.Reading().HighlightsOn(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		for _, other := range on {
			if other.Quote == quote {
				h, again = Highlight{Highlight: other, On: &b}, true
				return nil
			}
		}
		n, err := tx.Reading().CountHighlights(ctx, actor.UserID)
		switch {
		case err != nil:
			return err
		case len(on) >= domain.MaxBlockHighlights:
			return domain.NewUnprocessable("You have highlighted " + strconv.Itoa(domain.MaxBlockHighlights) + " passages of this block, which is the limit. Delete one first")
		case n >= domain.MaxHighlights:
			return domain.NewUnprocessable("You have highlighted " + strconv.Itoa(domain.MaxHighlights) + " passages, which is the limit. Delete one first")
		}
		now := a.Now()
		added, err := tx.Reading().AddHighlight(ctx, domain.Highlight{User: actor.UserID, Block: id, Quote: quote, Note: in.Note, CreatedAt: now, UpdatedAt: now})
		if err != nil {
			return err
		}
		stored, err := tx.Reading().Highlight(ctx, actor.UserID, added)
		h = Highlight{Highlight: stored, On: &b}
		return err
	})
	return h, again, err
}

// NoteInput is a new note about a highlight. If Was is set, it is the note that the user saw.
type NoteInput struct {
	Note string
	Was  *string
}

// Validate checks the note.
func (in NoteInput) Validate() error {
	var f domain.Faults
	f.Text("note", in.Note, domain.MaxNote)
	return f.Err()
}

// ChangeNote changes the note about a highlight of the actor on a block that they may see. It returns Conflict if the note
// is neither the one that the user saw nor the new one.
func (a *Reading) ChangeNote(ctx context.Context, actor domain.Actor, id domain.HighlightID, in NoteInput) (Highlight, error) {
	if err := in.Validate(); err != nil {
		return Highlight{}, err
	}
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		h, err := tx.Reading().LockHighlight(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		if _, err := tx.Blocks().BlockRevision(ctx, actor.UserID, h.Block); err != nil {
			return err
		}
		if in.Was != nil && h.Note != *in.Was && h.Note != in.Note {
			var f domain.Faults
			f.Add("note", domain.FieldIncorrect, "was changed in the meantime: save again to replace the other text")
			return domain.NewConflict(f...)
		}
		if h.Note == in.Note {
			return nil
		}
		h.Note, h.UpdatedAt = in.Note, a.Now()
		return tx.Reading().UpdateHighlight(ctx, h)
	})
	if err != nil {
		return Highlight{}, err
	}
	return a.Highlight(ctx, actor, id)
}

// DeleteHighlight deletes a highlight of the actor, even on a block that they may not see any more.
func (a *Reading) DeleteHighlight(ctx context.Context, actor domain.Actor, id domain.HighlightID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Reading().DeleteHighlight(ctx, actor.UserID, id) })
}

// KeepPlace remembers how far the actor has read a block that they may see.
func (a *Reading) KeepPlace(ctx context.Context, actor domain.Actor, id domain.BlockID, place int64) error {
	var f domain.Faults
	f.Between("place", place, 0, domain.MaxPlace)
	if err := f.Err(); err != nil {
		return err
	}
	if !actor.SignedIn() {
		return errGuest
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Users().LockUser(ctx, actor.UserID); err != nil { // so that requests at once keep the limit
			return err
		}
		b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		if !b.Readable() {
			return domain.NewUnprocessable("The block has no text to read")
		}
		return tx.Reading().KeepPlace(ctx, actor.UserID, id, place, a.Now())
	})
}

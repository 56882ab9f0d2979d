package transfer

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/app/reading"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/transfer"
)

// ImportHighlightInput is a passage of a block that the importing user highlighted in the source.
type ImportHighlightInput struct {
	ID        string // in the source
	Quote     domain.Quote
	Note      string
	CreatedAt time.Time // zero means now
	UpdatedAt time.Time // zero means CreatedAt
}

// Validate checks the highlight.
func (in ImportHighlightInput) Validate() error {
	var f domain.Faults
	f.RequiredText("id", in.ID, domain.MaxURL)
	f.CheckQuote(in.Quote)
	f.Text("note", in.Note, domain.MaxNote)
	return f.Err()
}

// BroughtHighlights is the result of importing the highlights of a block.
type BroughtHighlights struct {
	Made, Changed int
	LeftOut       map[int]string // reasons by the index of the highlight
}

// highlightID returns the foreign id of a highlight. The table of origins allows no further kinds, so highlights share that
// of comments, and the prefix keeps them apart.
func highlightID(id string) string { return "highlight:" + id }

// ImportHighlights adds the highlights of a block that the actor may see, or applies the source's change of a note that was
// not changed here. A passage need not occur in the text, which may be fetched later. A highlight that was deleted here stays
// deleted. It returns NotFound if the actor does not see the block.
func (a *Transfer) ImportHighlights(ctx context.Context, actor domain.Actor, origin string, block domain.BlockID, all []ImportHighlightInput) (done BroughtHighlights, err error) {
	if err := mayImport(actor); err != nil {
		return done, err
	}
	ids := make([]string, len(all))
	for i, in := range all {
		if err := in.Validate(); err != nil {
			return done, err
		}
		ids[i] = highlightID(in.ID)
	}
	place := from(actor, origin)
	known, err := a.Store.Origins().Origins(ctx, place, transfer.OriginComment, ids...)
	if err != nil || unchanged(known, ids, all, block) {
		return done, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		h := bringingHighlights{now: a.Now(), tx: tx, actor: actor, done: BroughtHighlights{LeftOut: map[int]string{}}}
		if err := h.open(ctx, block); err != nil {
			return err
		}
		rows, err := tx.Origins().ClaimOrigins(ctx, place, transfer.OriginComment, ids...)
		if err != nil {
			return err
		}
		for i, in := range all { // the source may have the same highlight twice
			if rows[ids[i]], err = h.bring(ctx, rows[ids[i]], in, i); err != nil {
				return err
			}
		}
		done = h.done
		kept := slices.SortedFunc(maps.Values(rows), func(a, b transfer.Origin) int { return strings.Compare(a.Foreign, b.Foreign) })
		return tx.Origins().KeepOrigins(ctx, place, transfer.OriginComment, kept...)
	})
	return done, err
}

// unchanged reports whether all highlights were imported before, with the same notes.
func unchanged(known map[string]transfer.Origin, ids []string, all []ImportHighlightInput, block domain.BlockID) bool {
	for i, in := range all {
		if row, ok := known[ids[i]]; !ok || row.Local == 0 || row.Digest != digestOf(in.Note) || row.Place != int64(block) {
			return false
		}
	}
	return true
}

// bringingHighlights is the transaction that imports the highlights of a block.
type bringingHighlights struct {
	tx    *store.Tx
	actor domain.Actor
	now   time.Time
	block domain.Block
	text  string // in which passages are found
	on    []domain.Highlight
	total int64 // of the actor
	done  BroughtHighlights
}

// open locks the actor and the block, as adding a highlight by hand does.
func (h *bringingHighlights) open(ctx context.Context, block domain.BlockID) (err error) {
	if _, err = h.tx.Users().LockUser(ctx, h.actor.UserID); err != nil {
		return err
	}
	if h.block, err = h.tx.Blocks().LockedBlock(ctx, h.actor.UserID, block); err != nil {
		return err
	}
	h.text = reading.Characters(&h.block)
	if h.on, err = h.tx.Reading().HighlightsOn(ctx, h.actor.UserID, block); err != nil {
		return err
	}
	h.total, err = h.tx.Reading().CountHighlights(ctx, h.actor.UserID)
	return err
}

// bring imports one highlight, and returns its row of origins. The row's place is the block, so that a highlight that was
// deleted with its block is imported again with a new one.
func (h *bringingHighlights) bring(ctx context.Context, row transfer.Origin, in ImportHighlightInput, i int) (transfer.Origin, error) {
	was := row
	row.Digest, row.Place = digestOf(in.Note), int64(h.block.ID)
	if was.Local != 0 {
		known, err := h.tx.Reading().LockHighlight(ctx, h.actor.UserID, domain.HighlightID(was.Local))
		switch {
		case err == nil:
			return row, h.change(ctx, known, was.Digest, in)
		case domain.KindOf(err) != domain.NotFound:
			return row, err
		case was.Place == row.Place: // deleted here
			return row, nil
		}
	}
	local, why, err := h.add(ctx, in)
	if why != "" {
		h.done.LeftOut[i] = why
	}
	row.Local = int64(local)
	return row, err
}

// change applies the source's change of a note.
func (h *bringingHighlights) change(ctx context.Context, known domain.Highlight, came string, in ImportHighlightInput) error {
	if !take(came, digestOf(in.Note), digestOf(known.Note), highlightNote) {
		return nil
	}
	h.done.Changed++
	known.Note, known.UpdatedAt = in.Note, plausible(in.UpdatedAt, h.now, h.now)
	return h.tx.Reading().UpdateHighlight(ctx, known)
}

// add adds a highlight, unless there is one of the same passage. Its id is 0 if a limit prevents that, so that the next
// import tries again.
func (h *bringingHighlights) add(ctx context.Context, in ImportHighlightInput) (id domain.HighlightID, why string, err error) {
	quote := in.Quote
	found, occurs := quote.In(h.text)
	for i, other := range h.on {
		if other.Quote == quote || occurs && other.Quote == found {
			why, err := h.join(ctx, &h.on[i], in.Note)
			return other.ID, why, err
		}
	}
	if occurs && quote.End == 0 { // the source has no position
		quote = found
	}
	switch {
	case len(h.on) >= domain.MaxBlockHighlights:
		return 0, "You have highlighted " + strconv.Itoa(domain.MaxBlockHighlights) + " passages of this block, which is the limit", nil
	case h.total >= domain.MaxHighlights:
		return 0, "You have highlighted " + strconv.Itoa(domain.MaxHighlights) + " passages, which is the limit", nil
	}
	made := domain.Highlight{User: h.actor.UserID, Block: h.block.ID, Quote: quote, Note: in.Note, CreatedAt: plausible(in.CreatedAt, h.now, h.now)}
	if made.UpdatedAt = plausible(in.UpdatedAt, made.CreatedAt, h.now); made.UpdatedAt.Before(made.CreatedAt) {
		made.UpdatedAt = made.CreatedAt
	}
	if made.ID, err = h.tx.Reading().AddHighlight(ctx, made); err != nil {
		return 0, "", err
	}
	h.on = append(h.on, made)
	h.total++
	h.done.Made++
	return made.ID, "", nil
}

// join adds a note to that of an existing highlight of the same passage, unless it contains it already.
func (h *bringingHighlights) join(ctx context.Context, to *domain.Highlight, note string) (why string, err error) {
	if strings.Contains(to.Note, note) {
		return "", nil
	}
	joined := note
	if to.Note != "" {
		joined = to.Note + "\n\n" + note
	}
	if utf8.RuneCountInString(joined) > domain.MaxNote {
		return "Its note does not fit into that of your highlight of the same passage", nil
	}
	to.Note, to.UpdatedAt = joined, h.now
	h.done.Changed++
	return "", h.tx.Reading().UpdateHighlight(ctx, *to)
}

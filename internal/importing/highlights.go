package importing

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// highlights saves the highlights that come with items. It runs after the items are written, and an import that continues
// skips the highlights that exist.
func (t *sink) highlights(ctx context.Context, c *channel, items []waiting) error {
	return t.blocksOf(ctx, c, items, func(it source.Item) bool { return len(it.Highlights) > 0 }, func(w waiting, block domain.BlockID) error {
		var names []named
		seen := map[string]int{} // how often the same words are highlighted
		var all []transfer.ImportHighlightInput
		for i, h := range w.item.Highlights {
			name := named{"highlight", h.Quote.Exact, w.where}
			if len(all) == domain.MaxBlockHighlights {
				rest := len(w.item.Highlights) - i
				t.LeftOut(source.LeftOut{What: domain.Counted(int64(rest), "highlight", "highlights") + " of " + w.name().String(), Where: w.where, Why: fmt.Sprintf("A block can have %d", domain.MaxBlockHighlights)})
				break
			}
			if in, ok := t.highlight(name, w, h); ok {
				if in.ID == "" {
					in.ID = shortID(fmt.Sprintf("%s %s %d", w.prepared.ID, source.SumOf("words", in.Quote.Exact), seen[in.Quote.Exact]))
					seen[in.Quote.Exact]++
				}
				names, all = append(names, name), append(all, in)
			}
		}
		done, err := t.app.Transfer.ImportHighlights(ctx, t.actor, t.origin, block, all)
		if why, refused := refusal(err); refused {
			t.LeftOut(source.LeftOut{What: "the highlights of " + w.name().String(), Where: w.where, Why: why})
			return nil
		}
		for i, name := range names {
			if why := done.LeftOut[i]; why != "" {
				t.LeftOut(name.left(why))
			}
		}
		if w.here && done.Made+done.Changed > 0 {
			t.count(func(n *Counts) { n.Changed++ })
		}
		return err
	})
}

// highlight prepares a highlight for writing. It reports the part that is too long, and returns false for one without words.
func (t *sink) highlight(name named, w waiting, h source.Highlight) (in transfer.ImportHighlightInput, ok bool) {
	q := h.Quote
	long := plain(&q.Exact, domain.MaxQuote, false)
	plain(&q.Prefix, domain.QuoteContext, true)
	plain(&q.Suffix, domain.QuoteContext, false)
	if strings.TrimSpace(q.Exact) == "" {
		t.LeftOut(source.LeftOut{What: "a highlight of " + w.name().String(), Where: w.where, Why: "It has no words"})
		return in, false
	}
	if long {
		q.Suffix = ""
		t.LeftOut(source.LeftOut{What: "part of " + name.String(), Where: name.where, Why: fmt.Sprintf("A highlight can have %d characters", domain.MaxQuote)})
	}
	if long || q.Start < 0 || q.End < q.Start || q.End > domain.MaxOffset {
		q.Start, q.End = 0, 0
	}
	note := h.Note
	if plain(&note, domain.MaxNote, false) {
		t.LeftOut(source.LeftOut{What: "part of the note on " + name.String(), Where: name.where, Why: fmt.Sprintf("A note can have %d characters", domain.MaxNote)})
	}
	return transfer.ImportHighlightInput{ID: shortID(h.ID), Quote: q, Note: note, CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt}, true
}

// plain makes a text valid and keeps its first or last characters, without a mark for the others. It reports whether there
// were more.
func plain(s *string, limit int, end bool) (long bool) {
	*s = strings.ReplaceAll(strings.ToValidUTF8(*s, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(*s) <= limit {
		return false
	}
	r := []rune(*s)
	if end {
		*s = string(r[len(r)-limit:])
	} else {
		*s = string(r[:limit])
	}
	return true
}

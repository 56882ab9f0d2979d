package domain

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// HighlightID identifies a highlight.
type HighlightID int64

// Highlight is a passage of a block's text that a user marked, with a note. Only that user sees it.
type Highlight struct {
	ID        HighlightID
	User      UserID
	Block     BlockID
	Quote     Quote
	Note      string // Markdown is not interpreted; may be ""
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Quote is a passage of a text: its characters from Start to before End, and some of those before and after it.
// These are the selectors for quotes and positions of the W3C's Web Annotation Data Model.
type Quote struct {
	Exact, Prefix, Suffix string
	Start, End            int
}

// QuoteContext is how many characters before and after a quote are stored with it.
const QuoteContext = 32

// MaxOffset is the highest position of a character that may be given.
const MaxOffset = 1 << 40

// MaxPlace is the position at the end of a text. Positions of readers are ten-thousandths of its length.
const MaxPlace = 10_000

// CheckQuote checks a quote that a user gave.
func (f *Faults) CheckQuote(q Quote) {
	f.RequiredText("exact", q.Exact, MaxQuote)
	f.Text("prefix", q.Prefix, MaxQuote)
	f.Text("suffix", q.Suffix, MaxQuote)
	f.Between("start", int64(q.Start), 0, MaxOffset)
	f.Between("end", int64(q.End), 0, MaxOffset)
}

// In finds the quote in a text, and returns it with its place there. White space does not count, since copied text has
// other white space than its source. If the text contains the quote several times, the one with the most of the same
// characters around it is chosen, and of these the one nearest to Start.
func (q Quote) In(text string) (found Quote, ok bool) {
	letters := []rune(text)
	if q.Start >= 0 && q.Start < q.End && q.End <= len(letters) && string(letters[q.Start:q.End]) == q.Exact && strings.TrimSpace(q.Exact) != "" {
		return quoteAt(letters, q.Start, q.End), true
	}
	whole, places := squeezed(letters)
	exact, _ := squeezed([]rune(q.Exact))
	if exact == "" {
		return Quote{}, false
	}
	prefix, _ := squeezed([]rune(q.Prefix))
	suffix, _ := squeezed([]rune(q.Suffix))
	best, bestStart, bestEnd := -1, 0, 0
	for from := 0; ; {
		i := strings.Index(whole[from:], exact)
		if i < 0 {
			break
		}
		i += from
		end := i + len(exact)
		first := places[i]
		last, _ := utf8.DecodeLastRuneInString(whole[:end])
		score := sameEnd(whole[:i], prefix) + sameBeginning(whole[end:], suffix)
		if score > best || score == best && distance(first, q.Start) < distance(bestStart, q.Start) {
			best, bestStart, bestEnd = score, first, places[end-utf8.RuneLen(last)]+1
		}
		_, size := utf8.DecodeRuneInString(exact)
		from = i + size
	}
	if best < 0 {
		return Quote{}, false
	}
	return quoteAt(letters, bestStart, bestEnd), true
}

func quoteAt(letters []rune, start, end int) Quote {
	return Quote{Exact: string(letters[start:end]), Prefix: string(letters[max(start-QuoteContext, 0):start]),
		Suffix: string(letters[end:min(end+QuoteContext, len(letters))]), Start: start, End: end}
}

// squeezed returns a text without white space, and for each of its bytes at which a character begins the place of that
// character.
func squeezed(letters []rune) (text string, places []int) {
	var b strings.Builder
	for i, r := range letters {
		if unicode.IsSpace(r) {
			continue
		}
		size, _ := b.WriteRune(r) // a Builder never fails
		for range size {
			places = append(places, i)
		}
	}
	return b.String(), places
}

// sameEnd returns how many bytes two texts have in common at their ends.
func sameEnd(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// sameBeginning returns how many bytes two texts have in common at their beginnings.
func sameBeginning(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func distance(a, b int) int { return max(a-b, b-a) }

package words

// The bounds of what is kept of one document. Positions beyond 16,383 and more than 255
// of one word mean nothing to PostgreSQL, which also wants less than 1 MB in all.
const (
	maxPositions = 16_000
	maxOfWord    = 255
	maxBytes     = 400_000
	gap          = 4 // positions between two texts, so that no phrase spans them
)

// Token is a word with its place in its part, counted from 1.
type Token struct {
	Word string
	At   int
}

// Document is what a thing is found by.
type Document struct{ Title, Body []Token }

// Make cuts the texts of a thing, of which the first is its title. Of very long ones
// the beginning counts, and of a word that comes again and again the first 255.
func Make(title string, body ...string) Document {
	var d Document
	w := writer{seen: map[string]int{}}
	d.Title = w.add(title)
	w.out = nil
	for _, text := range body {
		w.add(text)
	}
	d.Body = w.out
	return d
}

type writer struct {
	seen  map[string]int
	at    int // positions of title and body follow each other
	bytes int
	out   []Token
}

func (w *writer) add(text string) []Token {
	if text == "" {
		return w.out
	}
	for _, r := range runs(Fold(beginning(text))) {
		for _, t := range r.tokens(true) {
			w.at++
			if w.at > maxPositions || w.bytes > maxBytes {
				return w.out
			}
			if w.seen[t]++; w.seen[t] <= maxOfWord {
				w.out = append(w.out, Token{t, w.at})
				w.bytes += len(t) + 4
			}
		}
	}
	w.at += gap
	return w.out
}

// beginning is as much of a text as could count.
func beginning(text string) string {
	const most = 1 << 20
	if len(text) > most {
		return text[:most]
	}
	return text
}

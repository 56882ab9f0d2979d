package words

// Limits of a document. PostgreSQL ignores positions above 16,383 and more than 255 positions of a word,
// and limits a tsvector to 1 MB.
const (
	maxPositions = 16_000
	maxOfWord    = 255
	maxBytes     = 400_000
	gap          = 4 // positions between two texts, so that phrases do not span them
)

// Token is a word with its position, counted from 1.
type Token struct {
	Word string
	At   int
}

// Document is the searchable content of an entity.
type Document struct{ Title, Body []Token }

// Make returns the document of a title and further texts. It ignores the end of very long texts, and all
// but the first 255 occurrences of a word.
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
	at    int // positions continue from the title to the body
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

// beginning returns the part of a text that is not too long to be used.
func beginning(text string) string {
	const most = 1 << 20
	if len(text) > most {
		return text[:most]
	}
	return text
}

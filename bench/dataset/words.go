package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/markup"
)

var (
	qualities = strings.Fields(`amber ancient bright broken calm coastal cold deep distant drifting early empty faint
		folded foreign fragile gentle golden hidden hollow humid imaginary inner late layered lost low luminous minor
		mineral narrow open ordinary pale patient quiet raw recursive salted shared slow small soft solar spare still
		thin tidal unfinished vernacular vertical violet wandering warm weathered wild winter woven`)
	nouns = strings.Fields(`alphabet archive atlas bird bridge catalogue chair city clay cloud code colour corner
		diagram dust edge fabric field fire fog forest fragment garden glass grid harbour herb house index ink island
		kitchen ladder lamp language library light line loom machine map margin material memory method mirror mountain
		museum network note object orchard page paper pattern pencil poster prototype radio river road room ruin sand
		script sea shadow shelf signal stair stone street surface system table text theatre thread tide tool tower
		typeface valley vessel village voice wall water weather window wood workshop`)
	joints = strings.Fields(`the of and in a to with for as from is by on at between without against through after
		before like into under over its that which not only every some another where when because while`)
)

// rendered is the maximum number of rendered texts of each kind. Blocks share them, because rendering a text takes
// longer than writing it.
const rendered = 2000

// Uncommon is a word in one of forty texts, only of blocks and not in titles: in a set of 200,000 blocks, some 2,000
// contain it.
const Uncommon = "palimpsest"

// words generates texts from the vocabulary.
type words struct {
	rng   *rand.Rand
	texts []*domain.Text // of Text blocks: from a line to several pages
	notes []*domain.Text // one or two sentences
}

func newWords(rng *rand.Rand, blocks int) *words {
	w := &words{rng: rng}
	for i := range min(rendered, blocks) {
		text := w.body()
		if i%40 == 20 {
			text += "\n\n" + capital(Uncommon) + "."
		}
		w.texts = append(w.texts, render(text))
		w.notes = append(w.notes, render(w.sentence()))
	}
	return w
}

func render(markdown string) *domain.Text {
	t := markup.Render(markdown)
	return &domain.Text{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain}
}

func (w *words) text() *domain.Text { return w.texts[w.rng.IntN(len(w.texts))] }
func (w *words) note() *domain.Text { return w.notes[w.rng.IntN(len(w.notes))] }

func (w *words) pick(from []string) string { return from[w.rng.IntN(len(from))] }

// name returns the name of the i-th user, which is not a person's.
func (w *words) name(i int) string { return numbered(i) }

func (w *words) groupName(i int) string { return "The " + capital(numbered(i)) + " Group" }

// channelTitle returns the title of the i-th channel.
func (w *words) channelTitle(i int) string {
	switch i {
	case 0:
		return "The large channel"
	case 1:
		return "The small channel"
	}
	return numbered(i) + " " + w.pick(nouns)
}

// numbered returns a pair of words that differs for each i. Repeated pairs get a number.
func numbered(i int) string {
	pairs := len(qualities) * len(nouns)
	at := i * 7919 % pairs // a prime, to visit all pairs in a scattered order
	pair := capital(qualities[at%len(qualities)]) + " " + capital(nouns[at/len(qualities)])
	if round := i / pairs; round > 0 {
		pair += fmt.Sprintf(" %d", round+1)
	}
	return pair
}

// body returns the Markdown of a Text block. Most are short: the length has a log-normal distribution around 250
// characters, up to some 6,000.
func (w *words) body() string {
	want := int(min(250*math.Exp(w.rng.NormFloat64()), 6000))
	var b strings.Builder
	for b.Len() < want {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(w.paragraph(want))
	}
	return b.String()
}

func (w *words) paragraph(length int) string {
	switch k := w.rng.IntN(20); {
	case k == 0 && length > 400:
		return "## " + capital(w.pick(qualities)) + " " + w.pick(nouns)
	case k == 1:
		return "> " + w.sentence()
	case k == 2:
		return "- " + w.sentence() + "\n- " + w.sentence() + "\n- " + w.sentence()
	}
	sentences := make([]string, 1+w.rng.IntN(4))
	for i := range sentences {
		sentences[i] = w.sentence()
	}
	return strings.Join(sentences, " ")
}

func (w *words) sentence() string {
	parts := make([]string, 4+w.rng.IntN(14))
	for i := range parts {
		switch k := w.rng.IntN(100); {
		case k < 45:
			parts[i] = w.pick(joints)
		case k < 65:
			parts[i] = w.pick(qualities)
		case k < 96:
			parts[i] = w.pick(nouns)
		case k < 98:
			parts[i] = "*" + w.pick(qualities) + "*"
		default:
			parts[i] = "[" + w.pick(nouns) + "](" + w.address() + ")"
		}
	}
	return capital(strings.Join(parts, " ")) + "."
}

// address returns the URL of a page that does not exist.
func (w *words) address() string {
	return fmt.Sprintf("https://www.%s-%s.example/%s/%d", w.pick(qualities), w.pick(nouns), w.pick(nouns), w.rng.IntN(100_000))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

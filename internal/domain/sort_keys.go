package domain

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxByTitle is the maximum number of items of a channel that is listed by title, because a page reads all titles.
const MaxByTitle = 5_000

// SortKeys are what an item of a channel can be sorted by.
type SortKeys struct {
	Connection  ConnectionID
	ConnectedAt time.Time
	Title       string // or the beginning of its text, or its source
	Blurhash    string // of its image, "" for none
}

// OnceSort is an order into which a channel can be put once.
type OnceSort string

// The orders, from the top.
const (
	OnceByTitle  OnceSort = "title"
	OnceByNewest OnceSort = "newest"
	OnceByOldest OnceSort = "oldest"
	OnceByColour OnceSort = "colour"
)

// OnceSorts lists the orders.
func OnceSorts() []OnceSort {
	return []OnceSort{OnceByTitle, OnceByNewest, OnceByOldest, OnceByColour}
}

// Sorted returns the connections of items in an order, from the top. Items that lack what they are sorted by come last,
// and equal items keep their order. The keys are in the order of the channel, from the bottom.
func (by OnceSort) Sorted(keys []SortKeys) []ConnectionID {
	all := make([]rankedItem, len(keys))
	for i, k := range keys {
		all[len(keys)-1-i] = by.rank(k)
	}
	slices.SortStableFunc(all, func(a, b rankedItem) int {
		return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
	})
	ids := make([]ConnectionID, len(all))
	for i, r := range all {
		ids[i] = r.id
	}
	return ids
}

// rankedItem is an item with what decides its place: a number, then a text.
type rankedItem struct {
	id     ConnectionID
	number int64
	text   string
}

func (by OnceSort) rank(k SortKeys) rankedItem {
	r := rankedItem{id: k.Connection, number: math.MaxInt64}
	switch by {
	case OnceByNewest:
		r.number = -k.ConnectedAt.UnixMicro()
	case OnceByOldest:
		r.number = k.ConnectedAt.UnixMicro()
	case OnceByColour:
		if rgb, ok := AverageColour(k.Blurhash); ok {
			r.number = colourRank(rgb)
		}
	default:
		if r.text = foldedTitle(k.Title); r.text != "" {
			r.number = 0
		}
	}
	return r
}

// foldedTitle returns a title without differences of case and accents, and without punctuation before its first word.
func foldedTitle(title string) string {
	folded := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(title))
	return strings.TrimLeftFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// colourRank orders colours by hue, then by brightness. Greys come after all hues, the dark ones first.
func colourRank(rgb int64) int64 {
	r, g, b := rgb>>16&255, rgb>>8&255, rgb&255
	light, dark := max(r, g, b), min(r, g, b)
	spread := light - dark
	if spread*8 < light || spread < 16 {
		return 360_000 + light
	}
	var hue int64
	switch light {
	case r:
		hue = (60*(g-b)/spread + 360) % 360
	case g:
		hue = 60*(b-r)/spread + 120
	default:
		hue = 60*(r-g)/spread + 240
	}
	return hue*1_000 + light
}

// AverageColour returns the average colour of an image, red in the highest byte, from its blurhash: the constant
// component of a blurhash, four digits to base 83.
func AverageColour(blurhash string) (rgb int64, ok bool) {
	if len(blurhash) < 6 {
		return 0, false
	}
	for _, digit := range []byte(blurhash[2:6]) {
		value := strings.IndexByte(blurhashDigits, digit)
		if value < 0 {
			return 0, false
		}
		rgb = rgb*int64(len(blurhashDigits)) + int64(value)
	}
	return rgb & 0xffffff, true
}

// blurhashDigits are the digits of blurhashes, in order.
const blurhashDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"

package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/domain"
	"vitrine/internal/words"
)

// Known remembers numbers of results, so that searches need not count them again. Counting is most of the work of a search
// for common words, while its page ends after a few matches.
//
// A lower bound stays valid because the number of results falls only if a document is deleted, turned private or gets
// other words, or, in a channel, if a connection is deleted. The database counts these (search_removals). A search
// subtracts what was removed since the bound was found, and counts again if no more than the exactly counted number may be
// left.
//
// The exact total in a channel stays valid until anything is removed or the channel changes in size. So do the pages of
// a search there, unless they are in the order of something else that changes.
type Known struct {
	mu     sync.Mutex // while a bound is changed
	bounds *lru.Cache[knownKey, bound]
	pages  *lru.Cache[pageKey, knownPage]
}

// NewKnown returns an empty Known.
func NewKnown() *Known {
	bounds, _ := lru.New[knownKey, bound](maxKnown) // fails only for a size below 1, as below
	pages, _ := lru.New[pageKey, knownPage](maxPages)
	return &Known{bounds: bounds, pages: pages}
}

// pageKey identifies a page of a search.
type pageKey struct {
	knownKey
	name   string
	sort   domain.SearchSort
	seed   int64
	page   domain.Page
	before int64
}

// knownPage is a page in a channel that looks the same to all who see it.
type knownPage struct {
	channel  channelStatistics
	removals int64
	list     domain.List[domain.Subject]
}

// knownKey identifies words and the channel in which they were counted, or 0.
type knownKey struct {
	words   string
	channel domain.ChannelID
}

// bound is a lower bound of the results that everyone sees who sees the channel.
type bound struct {
	total    int64             // exact, in a channel that looks the same to all who see it; -1 if unknown
	channel  channelStatistics // at that time
	open     int64
	within   int64 // so many successive documents
	removals int64 // at that time
	far      bool  // a page is not among the nearest matches
	titled   *titled
}

// titled contains the matches in titles up to the document that was the last one at that time.
type titled struct {
	seqs     []int64
	upTo     int64
	removals int64
	many     bool // too many to be listed
}

// maxKnown is the maximum number of bounds, and maxKey that of the bytes of their words. A site has fewer words that so many
// documents contain; the rest are combinations of words, and searches in channels.
const (
	maxKnown = 10_000
	maxPages = 1_000
	maxKey   = 400
)

// keyOf returns the key of a query, and false if its results are not bounded: it needs words, and no filter except for a
// channel.
func keyOf(q Query) (key knownKey, ok bool) {
	if q.Words.Everything || q.address() != 0 {
		return key, false
	}
	for _, f := range q.filters() {
		if f != inChannel {
			return key, false
		}
	}
	var b strings.Builder
	writeTerms(&b, q.Words.Terms)
	if q.Words.Restricted() {
		fmt.Fprintf(&b, "marks %q without ", q.Words.Marks)
		writeTerms(&b, q.Words.Without)
	}
	if q.Words.Inexact {
		b.WriteString("inexact")
	}
	return knownKey{b.String(), q.Channel}, b.Len() <= maxKey
}

// writeTerms writes what distinguishes terms.
func writeTerms(b *strings.Builder, terms []words.Term) {
	for _, t := range terms {
		fmt.Fprintf(b, "%q %t %s ", t.Words, t.Prefix, t.Forms)
		if t.Title {
			b.WriteString("title ")
		}
		if len(t.Or) > 0 {
			b.WriteString("or ( ")
			writeTerms(b, t.Or)
			b.WriteString(") ")
		}
	}
}

// find returns the bound of a query.
func (k *Known) find(q Query) (b bound, found bool) {
	key, ok := keyOf(q)
	if k == nil || !ok {
		return b, false
	}
	return k.bounds.Get(key)
}

// learn stores what a search found: the number of results that everyone sees, and the exact total, or -1.
func (k *Known) learn(q Query, stats statistics, open, total int64) {
	key, ok := keyOf(q)
	if stats.channel.open != stats.channel.items || stats.documents > stats.limits.Nearest*total {
		total = -1 // it depends on the viewer, or even one result is too far away
	}
	if k == nil || !ok || stats.pending || open <= stats.limits.counted() && total < 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	before, _ := k.bounds.Get(key)
	k.bounds.Add(key, bound{total, stats.channel, open, stats.within, stats.removals, before.far, before.titled})
}

// pageKeyOf returns the key of a page, and false if the page may change although nothing is removed from the channel or
// added to it, or if viewers see different pages.
func pageKeyOf(q Query, stats statistics) (key pageKey, ok bool) {
	words, ok := keyOf(q)
	if !ok || q.Channel == 0 || stats.pending || stats.channel.open != stats.channel.items ||
		q.Sort.Key == domain.SearchByUpdated || q.Sort.Key == domain.SearchByConnections {
		return key, false
	}
	return pageKey{words, q.name(), q.Sort, q.Seed, q.Page, q.before}, true
}

// page returns a page in a channel if neither the channel nor a document with words has changed since it was read.
func (k *Known) page(q Query, stats statistics) (l domain.List[domain.Subject], found bool) {
	key, ok := pageKeyOf(q, stats)
	if k == nil || !ok {
		return l, false
	}
	p, found := k.pages.Get(key)
	if !found || p.channel != stats.channel || p.removals != stats.removals {
		return l, false
	}
	l = p.list
	l.Items = slices.Clone(l.Items)
	return l, true
}

// keepPage stores a page in a channel.
func (k *Known) keepPage(q Query, stats statistics, l domain.List[domain.Subject]) {
	key, ok := pageKeyOf(q, stats)
	if k == nil || !ok {
		return
	}
	l.Items = slices.Clone(l.Items)
	k.pages.Add(key, knownPage{stats.channel, stats.removals, l})
}

// tooFar stores that a page is not among the nearest matches.
func (k *Known) tooFar(q Query) { k.change(q, func(b *bound) { b.far = true }) }

// keepTitled stores the matches in titles.
func (k *Known) keepTitled(q Query, t *titled) { k.change(q, func(b *bound) { b.titled = t }) }

// change changes the bound of a query, unless it was dropped in the meantime.
func (k *Known) change(q Query, to func(*bound)) {
	key, _ := keyOf(q)
	k.mu.Lock()
	defer k.mu.Unlock()
	if b, found := k.bounds.Get(key); found {
		to(&b)
		k.bounds.Add(key, b)
	}
}

// nearest reports whether a page is looked for among the nearest matches only.
func (stats statistics) nearest() bool { return stats.known && stats.channel.items > 0 }

// use makes the statistics say what is known, if it is still valid. Fewer removals than at that time mean that the search
// reads an older state, at a replica. In a channel, a number only helps if a page is soon found.
func (b bound) use(q Query, stats *statistics) {
	removed := stats.removals - b.removals
	if stats.pending || removed < 0 {
		return
	}
	if q.Channel != 0 && (b.far || chooseOrder(q, *stats, somePage).by != columnNumber ||
		(q.offset()+q.Page.Per+1)*stats.documents > stats.limits.Nearest*max(b.open-removed, b.total)) {
		return
	}
	switch {
	case b.open-removed > stats.limits.counted():
		stats.counted = stats.limits.counted() + 1
	case removed == 0 && b.total >= 0 && b.channel == stats.channel:
		stats.counted = b.total
	default:
		return
	}
	stats.known, stats.open, stats.within = true, b.open, b.within
}

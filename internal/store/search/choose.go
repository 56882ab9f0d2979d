package search

import (
	"math"
	"slices"

	"vitrine/internal/domain"
)

// maxOfType is the maximum number of things of a type to read before an index that is in order.
const maxOfType = 1_000

// only reports whether the query consists of one filter, without words.
func (q Query) only(f filter) bool {
	set := q.filters()
	return q.Words.Everything && len(set) == 1 && set[0] == f
}

// measured returns the filters that few documents may pass. An index contains a user's creations in order, so they only
// need to be read first if the query has words.
func measured(q Query) (all []filter) {
	for _, f := range q.filters() {
		switch f {
		case byType, inGroup, isFollowed, isCommented:
			all = append(all, f)
		case byAuthor, madeByViewer:
			if !q.Words.Everything {
				all = append(all, f)
			}
		}
	}
	return all
}

// few returns one more than the maximum number of documents that may pass a filter for it to be read first.
func maxPassing(q Query, stats statistics) int64 {
	if q.Words.Everything {
		return stats.limits.BeforeOrder + 1
	}
	return stats.limits.BeforeWords + 1
}

// throughChannel returns the cost of reading a channel first: two table look-ups for each item, and less if the words
// are known to be in more documents than that.
func throughChannel(q Query, stats statistics) int64 {
	switch {
	case q.Channel == 0:
		return math.MaxInt64
	case stats.matches > stats.channel.items:
		return stats.channel.items / 2
	}
	return 3 * stats.channel.items
}

// countsMatches reports whether the choice of the driver needs the number of documents with the words, counted up to the
// channel's number of items. Counting costs only a small part of checking each of them against the channel.
func countsMatches(q Query, stats statistics) bool {
	return stats.byRow && !q.Words.Everything && q.Channel != 0 && q.address() == 0 && drive(q, stats) == noFilter && stats.channel.items/2 < maxPassing(q, stats)
}

// countLimit returns the limit up to which the documents that pass a filter are counted.
func countLimit(q Query, stats statistics, f filter) int64 {
	n := max(1, min(maxPassing(q, stats), throughChannel(q, stats)))
	if f == byType && len(q.Types) == 1 && chooseOrder(q, stats, somePage).by == columnCreated { // can also be read in order
		n = min(n, maxOfType)
	}
	return n
}

// drive chooses the filter that the fewest documents pass, if these are few.
func drive(q Query, stats statistics) (driver filter) {
	switch {
	case q.New.UpTo != 0:
		return isNumbered
	case q.Among != nil:
		return isAmong
	case manyFound(q, stats):
		return noFilter
	}
	least := maxPassing(q, stats)
	if n := throughChannel(q, stats); n < least {
		least, driver = n, inChannel
	}
	for _, f := range measured(q) {
		if n := stats.sizes[f]; n < min(least, countLimit(q, stats, f)) {
			least, driver = n, f
		}
	}
	return driver
}

// manyFound reports whether the number of results exceeds the counting limit, using counts that are known anyway.
func manyFound(q Query, stats statistics) bool {
	return stats.known || q.only(inChannel) && stats.channel.open > stats.limits.counted() || q.only(isFollowed) && stats.followedOpen > stats.limits.counted()
}

// choose chooses the statement of a page. If its driver leaves few documents, the statement counts them as well.
func choose(q Query, stats statistics) plan {
	p := plan{goal: somePage, driver: drive(q, stats), skip: q.offset(), take: q.Page.Per + 1} // the extra result shows whether there is a next page
	if p.driver != noFilter || findsAll(q, stats) {
		p.goal, p.take = pageAndTotal, q.Page.Per
	}
	return p.complete(q, stats)
}

// findsAll reports whether one statement reads all results for both the page and the count, if there are not too many.
// It does so if checking a document against a filter costs more than sorting it.
func findsAll(q Query, stats statistics) bool {
	return stats.counted < 0 && !q.Words.Everything && slices.ContainsFunc(q.filters(), filter.readsTables)
}

// readsTables reports whether a filter reads other tables for each document.
func (f filter) readsTables() bool {
	return f == inChannel || f == alsoInChannel || f == isFollowed || f == isCommented
}

// walksRing reports whether to read documents in random order and check each against the words. This pays off if so many
// match that a page is soon full.
func walksRing(q Query, stats statistics, p plan) bool {
	return !q.Words.Everything && q.Channel == 0 && q.Group == 0 && q.address() == 0 && !p.pending && p.goal == somePage && p.order.by == columnRing &&
		stats.open > stats.limits.Shuffled && (p.skip+p.take)*stats.within < stats.reach*stats.open && (p.skip+p.take)*stats.documents < 8*stats.reach*stats.open
}

// chooseCount chooses the statement that counts the results of choose.
func chooseCount(q Query, stats statistics) plan {
	p := plan{goal: countOnly, driver: drive(q, stats), take: stats.limits.countTo()}
	if p.driver == noFilter && q.Words.Everything { // the order does not matter here
		switch {
		case q.Channel != 0:
			p.driver = inChannel
		case q.Scope == domain.SearchFollowing:
			p.driver = isFollowed
		}
	}
	return p.complete(q, stats)
}

// chooseInChannel chooses a statement of a search in a channel that the viewer sees: for a page of its connections, or
// for their number.
func chooseInChannel(q Query, stats statistics, g goal) plan {
	p := plan{goal: g, list: placed, private: stats.meet(), pending: stats.pending, skip: q.Page.Offset(), take: q.Page.Per + 1}
	if !q.Words.Everything && throughChannel(q, stats) < maxPassing(q, stats) {
		p.driver = inChannel
	}
	for _, f := range q.filters() {
		if f != inChannel { // which joins them
			p.checks = append(p.checks, f)
		}
	}
	for _, from := range p.sources(q) {
		p.parts = append(p.parts, shows(from, showInsideChannel)...)
	}
	return p
}

// complete chooses the parts for a goal and a driver.
func (p plan) complete(q Query, stats statistics) plan {
	p.pending, p.order, p.private = stats.pending, chooseOrder(q, stats, p.goal), stats.meet()
	for _, f := range q.filters() {
		if f != p.driver || f == byAuthor || f == madeByViewer { // their creations are more than the listed part
			p.checks = append(p.checks, f)
		}
	}
	sources := p.sources(q)
	if walksRing(q, stats, p) {
		sources, p.checks = []part{{from: documents}}, append([]filter{hasWords}, p.checks...)
	}
	for _, from := range sources {
		for _, shown := range p.shown(q, stats, from) {
			p.parts = append(p.parts, p.halve(shown)...)
		}
	}
	return p
}

// meet chooses how to handle documents in private channels.
func (stats statistics) meet() private {
	switch {
	case stats.private.many:
		return privateUnlisted
	case len(stats.private.ids) == 0:
		return privateNone
	case stats.private.blocks > stats.limits.Seen:
		return privateProbed
	}
	return privateListed
}

// gathers reports whether to gather all matches before taking those of a page. PostgreSQL chooses between that and
// reading from the newest document by its estimate of the words' frequency, and reads far if they are rare. At this
// point, the matches have been counted.
func (stats statistics) gathers(g goal) bool {
	return g == somePage && !stats.known && stats.counted >= 0 && stats.counted <= stats.limits.Gathered
}

// chooseOrder returns the order of a query.
func chooseOrder(q Query, stats statistics, g goal) order {
	o := order{columnNumber, q.Sort.Desc}
	switch q.Sort.Key {
	case domain.SearchByUpdated:
		o.by = columnUpdated
	case domain.SearchByName:
		o.by = columnName
	case domain.SearchByConnections:
		o.by = columnLinks
	case domain.SearchByChance:
		o = order{by: columnRing}
		if g == pageAndTotal || stats.counted >= 0 && stats.counted <= stats.limits.Shuffled {
			o.by = columnShuffled
		}
	case domain.SearchByScore:
		o.desc = true
	}
	if o.by == columnNumber && q.Words.Everything {
		o.by = columnCreated
	}
	return o
}

// sources returns where to read the results. For a query that is a URL, the blocks from there come first. By score,
// things with the query as their name come next, and then those with the words in their names.
func (p plan) sources(q Query) []part {
	switch {
	case !q.Words.Everything:
	case p.driver == noFilter:
		return []part{{from: documents}}
	case p.goal == countOnly && len(p.checks) == 0:
		return []part{{from: driverNumbers}}
	default:
		return []part{{from: driverDocuments}}
	}
	var parts []part
	if q.address() != 0 {
		parts = []part{{from: fromAddress}, {from: madeFromAddress}}
	}
	switch {
	case p.goal == countOnly || q.Sort.Key != domain.SearchByScore:
		return append(parts, part{from: matches})
	case p.goal == pageAndTotal:
		return append(parts, part{from: matches, tier: matchedTier})
	case q.name() != "":
		parts = append(parts, part{from: named, tier: tierNamed})
	}
	return append(parts, part{from: titles, tier: tierTitle}, part{from: texts, tier: tierText})
}

// shown restricts a source to the visible documents, in as many parts as are read differently. A range of an index has
// separate parts for open and other documents.
func (p plan) shown(q Query, stats statistics, a part) []part {
	guest := q.Viewer == 0
	switch {
	case q.Group != 0 && a.from != driverNumbers: // the contents of its channels that the viewer sees
		return []part{a}
	case q.Channel != 0 && a.from == documents:
		return p.contents(stats)
	case q.Channel != 0 && a.from != driverNumbers:
		return shows(a, showInsideChannel)
	case guest && a.from == documents:
		return p.spans(showOpen)
	case guest:
		return shows(a, showOpen)
	case a.from == documents && stats.edge != nil:
		return []part{{span: openSpan, show: showOpen, edge: true}, {span: closedSpan, show: showClosedVisible, edge: true}}
	case a.from == documents:
		return append(p.spans(showOpen), p.closed()...)
	case a.from.byNumber() && p.goal == countOnly && !p.pending:
		return shows(a, showOpen, showClosedVisible) // closed documents are only read if there are not enough open ones
	}
	return shows(a, showVisible)
}

// contents returns the part of a channel that the viewer sees: its blocks, and those of its channels that are not
// hidden. Neither the visibility of the blocks nor pending changes matter.
func (p plan) contents(stats statistics) []part {
	parts := []part{{span: openSpan}}
	switch p.private {
	case privateListed, privateProbed:
		parts = append(parts, part{from: privateChannels, show: showClosed})
	case privateUnlisted:
		parts = append(parts, part{span: closedSpan, show: showClosedChannels})
	case privateNone:
	}
	if stats.channel.private || p.pending {
		parts = append(parts, part{span: closedSpan, show: showBlocks})
	}
	return parts
}

// closed returns the parts of closed documents that the viewer sees. The viewer's own are in an index that is ordered by
// times only. The contents of private channels are read completely or, if there are too many of these, looked up in the
// list's order.
func (p plan) closed() (parts []part) {
	ordered := p.goal == somePage && p.order.by != columnCreated && p.order.by != columnUpdated
	switch {
	case ordered && p.private == privateUnlisted:
		return p.spans(showClosedVisible)
	case ordered:
		parts = []part{{from: ownBlocks, show: showClosedOwn}}
	default:
		parts = p.spans(showClosedOwn)
	}
	switch p.private {
	case privateListed, privateProbed:
		parts = append(parts, part{from: privateContents, show: showClosedPrivate})
	case privateUnlisted:
		parts = append(parts, p.spans(showClosedPrivate)...)
	case privateNone:
	}
	return parts
}

// spans returns the ranges of an index that contain the shown documents: both while something is pending, because
// documents then do not reliably say what is open.
func (p plan) spans(is show) []part {
	switch {
	case p.pending:
		return []part{{span: openSpan, show: is}, {span: closedSpan, show: is}}
	case is == showOpen:
		return []part{{span: openSpan, show: is}}
	}
	return []part{{span: closedSpan, show: is}}
}

// shows returns parts that show several sets of one source.
func shows(a part, all ...show) (parts []part) {
	for _, is := range all {
		a.show = is
		parts = append(parts, a)
	}
	return parts
}

// halve splits a part if its order has two halves: in random order, the documents after the seed's starting point and
// then the others; by name, those with a name first. In an index the halves are ranges.
func (p plan) halve(a part) []part {
	switch {
	case p.goal == countOnly || p.order.by != columnRing && p.order.by != columnName:
		return []part{a}
	case a.from != documents:
		a.half = eitherHalf
		return []part{a}
	}
	first, second := a, a
	first.half, second.half, second.tier = firstHalf, secondHalf, 1
	if a.edge { // the page ends in the first half
		return []part{first}
	}
	return []part{first, second}
}

// wantsEdge reports whether to measure the end of a page: for lists of everything or of some types, if the viewer may
// see things that others do not.
func wantsEdge(q Query, stats statistics) bool {
	p := choose(q, stats)
	return q.Words.Everything && q.Viewer != 0 && p.goal == somePage && !p.pending && p.order.by != columnShuffled &&
		!slices.ContainsFunc(q.filters(), func(f filter) bool { return f != byType })
}

package search

import (
	"math"
	"slices"

	"vitrine/internal/domain"
)

// fewOfType is how many things of a kind are too many to be read before an index that has
// them in order.
const fewOfType = 1_000

// only reports whether everything is asked for that passes one filter.
func (q Query) only(f filter) bool {
	set := q.filters()
	return q.Words.Everything && len(set) == 1 && set[0] == f
}

// measured are the filters that few documents may pass. What somebody made is in order in
// an index, and so needs to be read first only where words are asked for.
func measured(q Query) (all []filter) {
	for _, f := range q.filters() {
		switch f {
		case byType, inGroup, isFollowed:
			all = append(all, f)
		case byAuthor, madeByViewer:
			if !q.Words.Everything {
				all = append(all, f)
			}
		}
	}
	return all
}

// few is how many documents may pass a filter at most for it to be read first, and one more.
func few(q Query, is facts) int64 {
	if q.Words.Everything {
		return is.limits.BeforeOrder + 1
	}
	return is.limits.BeforeWords + 1
}

// throughChannel is what it costs to read a channel first: a look at two tables for each item, and
// less if the words are known to be in more documents than that.
func throughChannel(q Query, is facts) int64 {
	switch {
	case q.Channel == 0:
		return math.MaxInt64
	case is.matches > is.channel.items:
		return is.channel.items / 2
	}
	return 3 * is.channel.items
}

// countsMatches reports whether it decides on the driver in how many documents the words are, up to
// as many as the channel has items: their number is a small part of what it costs to hold
// each against the channel.
func countsMatches(q Query, is facts) bool {
	return is.byRow && !q.Words.Everything && q.Channel != 0 && q.address() == 0 && drive(q, is) == noFilter && is.channel.items/2 < few(q, is)
}

// most is how many documents are too many for a filter to be measured further.
func most(q Query, is facts, f filter) int64 {
	n := max(1, min(few(q, is), throughChannel(q, is)))
	if f == byType && len(q.Types) == 1 && chooseOrder(q, is, somePage).by == created { // read in order as well
		n = min(n, fewOfType)
	}
	return n
}

// drive chooses the filter that the fewest documents pass, if these are few.
func drive(q Query, is facts) (driver filter) {
	if manyFound(q, is) {
		return noFilter
	}
	least := few(q, is)
	if n := throughChannel(q, is); n < least {
		least, driver = n, inChannel
	}
	for _, f := range measured(q) {
		if n := is.sizes[f]; n < min(least, most(q, is, f)) {
			least, driver = n, f
		}
	}
	return driver
}

// manyFound reports whether more are found than are counted, by what is counted anyhow.
func manyFound(q Query, is facts) bool {
	return q.only(inChannel) && is.channel.open > countedUpTo || q.only(isFollowed) && is.followedOpen > countedUpTo
}

// choose decides on the statement of a page. Where its driver leaves few documents, it counts
// them as well.
func choose(q Query, is facts) plan {
	p := plan{goal: somePage, driver: drive(q, is), skip: q.Page.Offset(), take: q.Page.Per + 1} // the one more tells of the next page
	if p.driver != noFilter || findsAll(q, is) {
		p.goal, p.take = pageAndTotal, q.Page.Per
	}
	return p.complete(q, is)
}

// findsAll reports whether all that is found is to be read once, if it is not too much, for both
// the page and the count: where it costs more to hold a document against a filter than to sort it.
func findsAll(q Query, is facts) bool {
	return is.counted < 0 && !q.Words.Everything && slices.ContainsFunc(q.filters(), filter.asksConnections)
}

// asksConnections reports whether a filter looks for the connections of each document.
func (f filter) asksConnections() bool { return f == inChannel || f == isFollowed }

// walksRing reports whether documents are walked in their order by chance and each held against
// the words: where so many match that a page is found after few.
func walksRing(q Query, is facts, p plan) bool {
	const far = 20_000 // documents, which is what it costs to gather as many matches
	return is.byRow && !q.Words.Everything && q.Channel == 0 && q.Group == 0 && q.address() == 0 && !p.pending && p.goal == somePage && p.order.by == ring &&
		is.open > is.limits.Shuffled && is.documents > 0 && (p.skip+p.take)*is.documents < far*is.open
}

// chooseCount decides on the statement that counts what choose lists.
func chooseCount(q Query, is facts) plan {
	p := plan{goal: countOnly, driver: drive(q, is), take: countedUpTo + 1}
	if p.driver == noFilter && q.Words.Everything { // the order does not matter here
		switch {
		case q.Channel != 0:
			p.driver = inChannel
		case q.Scope == domain.SearchFollowing:
			p.driver = isFollowed
		}
	}
	return p.complete(q, is)
}

// chooseInChannel decides on the statements of a search in a channel that the viewer sees,
// whose results are its connections: that of a page, or that which counts them.
func chooseInChannel(q Query, is facts, g goal) plan {
	p := plan{goal: g, list: placed, private: is.meet(), pending: is.pending, skip: q.Page.Offset(), take: q.Page.Per + 1}
	if !q.Words.Everything && throughChannel(q, is) < few(q, is) {
		p.driver = inChannel
	}
	for _, f := range q.filters() {
		if f != inChannel { // which joins them
			p.checks = append(p.checks, f)
		}
	}
	for _, from := range p.sources(q) {
		p.parts = append(p.parts, shows(from, insideChannel)...)
	}
	return p
}

// complete chooses the parts for a goal and a driver.
func (p plan) complete(q Query, is facts) plan {
	p.pending, p.order, p.private = is.pending, chooseOrder(q, is, p.goal), is.meet()
	for _, f := range q.filters() {
		if f != p.driver || f == byAuthor || f == madeByViewer { // what they made is more than what is listed
			p.checks = append(p.checks, f)
		}
	}
	sources := p.sources(q)
	if walksRing(q, is, p) {
		sources, p.checks = []part{{from: documents}}, append([]filter{hasWords}, p.checks...)
	}
	for _, from := range sources {
		for _, shown := range p.shown(q, is, from) {
			p.parts = append(p.parts, p.halve(shown)...)
		}
	}
	return p
}

// meet chooses how documents in private channels are met.
func (is facts) meet() private {
	switch {
	case is.private.many:
		return unlisted
	case len(is.private.ids) == 0:
		return none
	case is.private.blocks > is.limits.Seen:
		return probed
	}
	return listed
}

// gathers reports whether all matches are gathered before those of a page are taken. PostgreSQL
// chooses between that and a walk from the newest document by how common it guesses the words to
// be, and walks far where they are rare; by now they have been counted.
func (is facts) gathers(g goal) bool {
	return g == somePage && is.counted >= 0 && is.counted <= is.limits.Gathered
}

// chooseOrder gives the order that a query asks for.
func chooseOrder(q Query, is facts, g goal) order {
	o := order{number, q.Sort.Desc}
	switch q.Sort.Key {
	case domain.SearchByUpdated:
		o.by = updated
	case domain.SearchByName:
		o.by = name
	case domain.SearchByConnections:
		o.by = links
	case domain.SearchByChance:
		o = order{by: ring}
		if g == pageAndTotal || is.counted >= 0 && is.counted <= is.limits.Shuffled {
			o.by = shuffled
		}
	case domain.SearchByScore:
		o.desc = true
	}
	if o.by == number && q.Words.Everything {
		o.by = created
	}
	return o
}

// sources are where what is asked for is read. A query that is one address finds those from
// there first; by score, things that are called as the query come next, and then those that
// have it in their names.
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
		parts = append(parts, part{from: named, tier: 1})
	}
	return append(parts, part{from: titles, tier: 2}, part{from: texts, tier: 3})
}

// shown narrows a source to what the viewer may see, in as many parts as are read in different
// ways: a range of an index has what is open, and what is not, apart.
func (p plan) shown(q Query, is facts, a part) []part {
	guest := q.Viewer == 0
	switch {
	case q.Group != 0 && a.from != driverNumbers: // what is in those of its channels that the viewer sees
		return []part{a}
	case q.Channel != 0 && a.from == documents:
		return p.contents(is)
	case q.Channel != 0 && a.from != driverNumbers:
		return shows(a, insideChannel)
	case guest && a.from == documents:
		return p.spans(open)
	case guest:
		return shows(a, open)
	case a.from == documents && is.edge != nil:
		return []part{{span: openSpan, show: open, edge: true}, {span: closedSpan, show: closedMine, edge: true}}
	case a.from == documents:
		return append(p.spans(open), p.closed()...)
	case a.from.byNumber() && p.goal == countOnly && !p.pending:
		return shows(a, open, closedMine) // what is closed is looked at only where there is not enough that is open
	}
	return shows(a, visible)
}

// contents are what the viewer sees of a channel: its blocks, and of its channels those that
// are not hidden. What is open among the former does not matter, nor does what is pending.
func (p plan) contents(is facts) []part {
	parts := []part{{span: openSpan}}
	switch p.private {
	case listed, probed:
		parts = append(parts, part{from: privateChannels, show: closed})
	case unlisted:
		parts = append(parts, part{span: closedSpan, show: closedChannels})
	case none:
	}
	if is.channel.private || p.pending {
		parts = append(parts, part{span: closedSpan, show: blocks})
	}
	return parts
}

// closed are what the viewer sees of closed documents. One's own are in the order of an index
// by times alone; what is in private channels is read whole, or where there are too many of
// these, looked for along the order.
func (p plan) closed() (parts []part) {
	ordered := p.goal == somePage && p.order.by != created && p.order.by != updated
	switch {
	case ordered && p.private == unlisted:
		return p.spans(closedMine)
	case ordered:
		parts = []part{{from: ownBlocks, show: closedOwn}}
	default:
		parts = p.spans(closedOwn)
	}
	switch p.private {
	case listed, probed:
		parts = append(parts, part{from: privateContents, show: closedPrivate})
	case unlisted:
		parts = append(parts, p.spans(closedPrivate)...)
	case none:
	}
	return parts
}

// spans are the ranges of an index that have what is shown: both while something is pending,
// since documents do not say what is open.
func (p plan) spans(is show) []part {
	switch {
	case p.pending:
		return []part{{span: openSpan, show: is}, {span: closedSpan, show: is}}
	case is == open:
		return []part{{span: openSpan, show: is}}
	}
	return []part{{span: closedSpan, show: is}}
}

// shows are parts that show several things of one source.
func shows(a part, all ...show) (parts []part) {
	for _, is := range all {
		a.show = is
		parts = append(parts, a)
	}
	return parts
}

// halve parts what is read where the order has a first and a second half: by chance, what
// comes after the place that the seed gives and then the rest; by name, what has one first.
// Of an index the halves are ranges.
func (p plan) halve(a part) []part {
	switch {
	case p.goal == countOnly || p.order.by != ring && p.order.by != name:
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

// wantsEdge reports whether the end of a page is worth measuring: where everything is asked
// for, or all of some kinds, and the viewer may see what others do not.
func wantsEdge(q Query, is facts) bool {
	p := choose(q, is)
	return q.Words.Everything && q.Viewer != 0 && p.goal == somePage && !p.pending && p.order.by != shuffled &&
		!slices.ContainsFunc(q.filters(), func(f filter) bool { return f != byType })
}

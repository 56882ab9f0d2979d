package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// scan is a part of a plan in SQL. Its documents are `d`, and its words `w`.
type scan struct {
	from  string
	where []string
	seq   string // the number of the document
	tier  string
	mixed bool   // the part has several tiers
	open  bool   // known to contain only open documents
	words string // condition on the words of `w`, if the part reads nothing else until it checks each match

	distinct string // "DISTINCT " if a document may occur several times

	fenced   bool     // look up the document for each match, and apply the conditions there
	document []string // these conditions
}

// and adds conditions on the document.
func (s scan) and(where ...string) scan {
	if s.fenced {
		s.document = append(append([]string(nil), s.document...), where...)
		return s
	}
	return s.joined(where...)
}

// joined adds conditions on the table that is read first, or on the tables joined to the document.
func (s scan) joined(where ...string) scan {
	s.where = append(append([]string(nil), s.where...), where...)
	return s
}

func (s scan) text() string {
	if s.fenced {
		s.from = strings.Replace(s.from, documentHere, "LATERAL (SELECT d.* FROM search_documents d WHERE "+strings.Join(s.document, " AND ")+
			sqlx.Postgres.Fence()+") AS d", 1)
	}
	return " FROM " + s.from + " WHERE " + strings.Join(s.where, " AND ")
}

// documentHere is the position of a fenced document in text.
const documentHere = "<document>"

// scan writes a part: its source, its conditions, and the viewer's permissions.
func (r *renderer) scan(p part) scan {
	s := r.read(p)
	s.open = p.show == showOpen
	for _, f := range r.plan.checks {
		s = s.and(r.check(f)...)
	}
	if d := r.plan.driver; d != noFilter && p.from != driverDocuments && p.from != driverNumbers {
		if d == isNumbered {
			s = s.joined(r.numberedBetween(s.seq)...)
		} else if p.from.byNumber() { // SQLite would look up the words for each
			s = s.joined(r.NoIndex(s.seq) + " IN (" + r.rows(d) + ")")
		} else {
			s = s.joined(s.seq + " IN (" + r.rows(d) + ")")
		}
	}
	if p.from.byNumber() {
		s = s.and(r.showsNumber(p.show, s.seq)...)
	} else {
		s = s.and(r.shows(p)...)
	}
	if p.edge {
		s = s.and(r.key(s) + r.before() + r.args.Add(r.is.edge))
	}
	if r.plan.list == placed {
		at := r.args.Add(r.q.Channel)
		s = s.joined("c.channel_id = "+at, "c.item_type = d.kind", "c.item_id = d.item_id")
		if p.from == documents {
			s.from = "connections c CROSS JOIN " + s.from
		} else {
			s.from += " CROSS JOIN connections c"
		}
	}
	if r.plan.list == owned { // which usually does not depend on the viewer
		s = s.and(touchViewer)
	}
	return r.ranked(p, s)
}

// read returns the source of a part.
func (r *renderer) read(p part) scan {
	d := scan{from: r.table(), seq: "d.seq"}
	switch p.from {
	case documents:
		switch p.span {
		case openSpan:
			return d.and("d.open = TRUE")
		case closedSpan:
			return d.and("d.open = FALSE")
		case bothSpans:
		}
		return d
	case driverDocuments:
		return numbers(r.rows(r.plan.driver)).documented("few.seq")
	case driverNumbers:
		return numbers(r.rows(r.plan.driver))
	case ownBlocks:
		return numbers(r.ownBlocks()).documented("few.seq")
	case privateContents:
		channels := r.privateIDs()
		return numbers("SELECT x.seq FROM search_documents x WHERE x.kind = 'Channel' AND " + r.In("x.item_id", channels) +
			" UNION ALL SELECT x.seq FROM connections c CROSS JOIN search_documents x WHERE c.item_type = 'Block' AND " + r.In("c.channel_id", channels) +
			" AND x.kind = 'Block' AND x.item_id = c.item_id").documented("few.seq")
	case privateChannels:
		if r.plan.list != owned {
			return numbers("SELECT x.seq FROM search_documents x WHERE x.kind = 'Channel' AND " + r.In("x.item_id", r.privateIDs())).documented("few.seq")
		}
		r.asksChannels = true
		d.from = "sees CROSS JOIN " + d.from
		return d.and("d.kind = 'Channel'", "d.item_id = sees.id")
	case privateBlocks:
		r.asksChannels = true
		d.from, d.distinct = "sees CROSS JOIN connections c CROSS JOIN "+d.from, "DISTINCT "
		return d.and("c.channel_id = sees.id", "c.item_type = 'Block'", "d.kind = 'Block'", "d.item_id = c.item_id")
	case named:
		return d.and(append([]string{"d.open IN (TRUE, FALSE)", "d.name_key = " + r.args.Add(r.q.name())}, r.elsewhere()...)...)
	case fromAddress:
		return d.and("d.source_key = "+r.args.Add(r.q.address()), "d.source_key <> 0")
	case madeFromAddress:
		at := r.args.Add(r.q.address())
		return d.and("d.value_key = "+at, "d.value_key <> 0", "d.source_key <> "+at)
	case matches, titles, texts:
	}
	where := map[source]place{matches: anywhere, titles: r.q.titlePlace(), texts: notInTitle}[p.from]
	match := r.engine().matches(r.matchQuery(where), where)
	s := scan{from: "search_words w", seq: "w.rowid"}.and(match)
	near := r.is.nearest() && r.plan.goal == somePage
	if fence := r.Fence(); fence != "" && (r.is.gathers(r.plan.goal) || near && p.from == titles) { // which may be nowhere in the channel
		s = scan{from: "(SELECT w.rowid FROM search_words w WHERE " + match + fence + ") AS w", seq: "w.rowid"}.and("TRUE")
	}
	if near && p.from != titles {
		s = scan{from: "(SELECT w.rowid FROM search_words w WHERE " + match + " ORDER BY w.rowid " + r.dir() +
			" LIMIT " + strconv.FormatInt(r.is.limits.Nearest, 10) + ") AS w", seq: "w.rowid"}.and("TRUE")
	}
	if p.from == titles && r.is.titled != nil {
		s = scan{from: "(SELECT l.id AS rowid FROM " + r.Rows(r.args.Add(sqlx.IDs(r.Dialect, r.is.titled.seqs))) +
			" UNION ALL SELECT w.rowid FROM search_words w WHERE " + match + " AND w.rowid > " + r.args.Add(r.is.titled.upTo) + ") AS w", seq: "w.rowid"}.and("TRUE")
	}
	apart := r.elsewhere()
	if p.from == titles && r.q.name() != "" {
		s = s.and("w.rowid NOT IN (SELECT x.seq FROM search_documents x WHERE x.open IN (TRUE, FALSE) AND x.name_key = " + r.args.Add(r.q.name()) + ")")
	}
	switch {
	case r.fences():
		s.from, s.fenced = s.from+" CROSS JOIN "+documentHere, true
		return s.and("d.seq = w.rowid").and(apart...)
	case len(apart) > 0 || r.readsDocuments(p):
		return s.documented("w.rowid").and(apart...)
	}
	if s.from == "search_words w" && r.plan.driver == noFilter {
		s.words = match
	}
	return s
}

// fences reports whether to look up the documents of matches individually. PostgreSQL evaluates the subquery of a filter
// as soon as it has read a document. If it joins all documents to the matches, it therefore evaluates it for every
// document.
func (r *renderer) fences() bool {
	return r.Fence() != "" && slices.ContainsFunc(r.plan.checks, filter.readsTables)
}

// numbers returns the numbers of some documents, each once.
func numbers(rows string) scan {
	return scan{from: "(SELECT DISTINCT seq FROM (" + rows + ") AS several) AS few", seq: "few.seq"}
}

// documented joins the documents to their numbers.
func (s scan) documented(seq string) scan {
	s.from += " CROSS JOIN search_documents d"
	return s.and("d.seq = " + seq)
}

// readsDocuments reports whether a part needs more than numbers.
func (r *renderer) readsDocuments(p part) bool {
	return len(r.plan.checks) > 0 || r.plan.list == placed || r.plan.goal == pageAndTotal || r.plan.goal == somePage && r.plan.order.by != columnNumber ||
		p.show == showInsideChannel || p.tier == matchedTier
}

// elsewhere excludes the documents that the query found as a URL.
func (r *renderer) elsewhere() []string {
	if r.q.address() == 0 {
		return nil
	}
	at := r.args.Add(r.q.address())
	return []string{"d.source_key <> " + at, "d.value_key <> " + at}
}

// ranked adds the tier of a part, and its half of an order with two.
func (r *renderer) ranked(p part, s scan) scan {
	s.tier = fmt.Sprint(int(p.tier))
	if p.tier == matchedTier {
		s.tier, s.mixed = r.matchedTier(), true
		return s
	}
	first, second := "d.name_key > ''", "d.name_key = ''"
	if p.half != wholeOrder && r.plan.order.by == columnRing {
		if r.seed == "" {
			r.seed = r.args.Add(chance(r.q.Seed))
		}
		first, second = "d.random_key >= "+r.seed, "d.random_key < "+r.seed
	}
	switch p.half {
	case firstHalf:
		return s.and(first)
	case secondHalf:
		return s.and(second)
	case eitherHalf:
		s.tier, s.mixed = "CASE WHEN "+first+" THEN 0 ELSE 1 END", true
	case wholeOrder:
	}
	return s
}

// matchedTier computes how well a document matches the query.
func (r *renderer) matchedTier() string { return r.named(r.ranks("w.rowid")) }

// named puts documents with the query as their name before those in other tiers.
func (r *renderer) named(other string) string {
	if r.q.name() == "" {
		return other
	}
	return "CASE WHEN d.name_key = " + r.args.Add(r.q.name()) + " THEN " + tierNamed.String() + " ELSE " + other + " END"
}

// noSuchPart reports a part that choose and chooseOwned never return.
const noSuchPart = "search: no such part"

// shows restricts the documents `d` to those that a part shows.
func (r *renderer) shows(p part) []string {
	switch p.show {
	case showAll:
		return []string{touchViewer}
	case showOpen:
		if r.q.Viewer == 0 && r.plan.list != owned {
			return append(r.isOpen(p), "CAST($1 AS BIGINT) = 0")
		}
		return r.isOpen(p)
	case showClosed:
		return r.isClosed(p)
	case showClosedOwn:
		return append(r.isClosed(p), ownBlock("d"))
	case showClosedPrivate:
		if p.from == privateContents {
			return append(r.isClosed(p), "NOT ("+ownBlock("d")+")")
		}
		return append(r.isClosed(p), "NOT ("+ownBlock("d")+")", r.inPrivate("d"))
	case showClosedVisible:
		return append(r.isClosed(p), r.lookedUp("d"))
	case showVisible:
		return []string{"(" + r.openDocument("d") + " OR " + r.sees("d") + ")"}
	case showInsideChannel:
		return []string{"(d.open = TRUE OR d.kind = 'Block' OR " + r.sees("d") + ")"}
	case showBlocks:
		return []string{"d.kind = 'Block'"}
	case showClosedChannels:
		return []string{"d.type = 'Channel'", channelSeen("d")}
	case showClosedBlocks:
		return append(r.isClosed(p), "d.type <> 'Channel'")
	case showClosedSeen:
		return append(r.isClosed(p), r.inPrivate("d"))
	}
	panic(noSuchPart)
}

// showsNumber restricts numbers of documents to those that a part shows.
func (r *renderer) showsNumber(is show, seq string) []string {
	closed := r.engine().closed(seq)
	document := func(where string) string {
		return "EXISTS (SELECT 1 FROM search_documents x WHERE x.seq = " + seq + " AND " + where + r.Fence() + ")"
	}
	switch {
	case is == showAll:
		return nil
	case is == showInsideChannel:
		return r.shows(part{show: is})
	case is == showOpen && r.plan.pending:
		return []string{document(r.openDocument("x") + " AND CAST($1 AS BIGINT) = 0")}
	case is == showOpen && r.q.Viewer == 0:
		return []string{"NOT (" + closed + ")", "CAST($1 AS BIGINT) = 0"}
	case is == showOpen:
		return []string{"NOT (" + closed + ")"}
	case is == showClosedVisible:
		return []string{closed, document(r.sees("x"))}
	case r.plan.pending:
		return []string{document("(" + r.openDocument("x") + " OR " + r.sees("x") + ")")}
	}
	return []string{"(NOT (" + closed + ") OR " + document(r.sees("x")) + ")"}
}

// touchViewer mentions the viewer in statements that do not depend on it, because PostgreSQL needs the type of each
// parameter.
const touchViewer = "CAST($1 AS BIGINT) IS NOT NULL"

// openDocument returns the condition that everyone may see a document.
func (r *renderer) openDocument(d string) string {
	if r.plan.pending {
		return access.EffectiveOpen(d)
	}
	return d + ".open = TRUE"
}

// isOpen and isClosed return conditions on the documents of a part, unless its range of an index implies them.
func (r *renderer) isOpen(p part) []string {
	if p.span == openSpan && !r.plan.pending {
		return nil
	}
	return []string{r.openDocument("d")}
}

func (r *renderer) isClosed(p part) []string {
	switch {
	case r.plan.pending:
		return []string{"NOT " + access.EffectiveOpen("d")}
	case p.span == closedSpan:
		return nil
	}
	return []string{"d.open = FALSE"}
}

package search

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// renderer writes the statement of a plan. The viewer is $1.
type renderer struct {
	sqlx.Dialect
	q    Query
	is   statistics
	plan plan
	args sqlx.Args

	tables       []string // defined at the beginning of the statement
	asksBlocks   bool     // in private channels, as `seen`
	asksChannels bool     // private ones, as `sees`
	seed         string   // start of the random order, once it is bound
}

// statement is a plan in SQL.
type statement struct {
	text string
	args []any
}

// render writes a plan as SQL, with the values of the same query.
func render(d sqlx.Dialect, q Query, stats statistics, p plan) statement {
	r := renderer{Dialect: d, q: q, is: stats, plan: p, args: sqlx.Args{q.Viewer}}
	var text string
	switch {
	case p.list == owned && p.goal == countOnly:
		text = "SELECT count(*) FROM (" + r.union(r.ownedPart) + ") AS counted"
	case p.list == owned && p.order.by == columnAdded:
		text = r.added()
	case p.list == owned:
		text = r.owned()
	case p.goal == countOnly:
		text = r.count()
	case p.list == placed:
		text = r.placed()
	case p.goal == pageAndTotal:
		text = r.pageAndTotal()
	case p.order.by == columnNumber:
		text = r.numbered()
	default:
		text = r.page()
	}
	return statement{r.with() + text, r.args}
}

// with defines the private channels that the viewer sees, or the blocks in them, at the beginning of a statement that
// uses them. The databases compute them on first use, so not at all if there are no closed documents.
func (r *renderer) with() string {
	var tables []string
	if r.asksChannels {
		tables = append(tables, "sees (id) AS (SELECT ch.id FROM channels ch WHERE "+r.In("ch.id", r.privateIDs())+")")
	}
	if r.asksBlocks {
		tables = append(tables, "seen (item_id) AS MATERIALIZED (SELECT c.item_id FROM connections c WHERE c.item_type = 'Block' AND "+
			r.In("c.channel_id", r.privateIDs())+")")
	}
	tables = append(tables, r.tables...)
	if len(tables) == 0 {
		return ""
	}
	return "WITH " + strings.Join(tables, ", ") + " "
}

func (r *renderer) privateIDs() string { return r.args.Add(sqlx.IDs(r.Dialect, r.is.private.ids)) }

// union formats each part of the plan.
func (r *renderer) union(write func(s scan) string) string {
	parts := make([]string, len(r.plan.parts))
	for i, p := range r.plan.parts {
		parts[i] = write(r.scan(p))
	}
	return strings.Join(parts, " UNION ALL ")
}

// count counts up to a limit, across all parts together, so that later parts are not read once it is reached.
func (r *renderer) count() string {
	limit := sqlx.Limit(r.args.Add(r.is.limits.countTo()))
	if !countsOpen(r.q, r.is) {
		return "SELECT count(*) FROM (" + r.union(func(s scan) string { return "SELECT 1 AS one" + s.text() }) + limit + ") AS counted"
	}
	parts := r.union(func(s scan) string {
		if s.open {
			return "SELECT " + s.seq + " AS seq" + s.text()
		}
		return "SELECT CAST(NULL AS BIGINT) AS seq" + s.text()
	})
	return "SELECT count(*), count(seq), COALESCE(max(seq) - min(seq) + 1, 0) FROM (" + parts + limit + ") AS counted"
}

// page writes the beginning of each set, and the page from all of these.
func (r *renderer) page() string {
	return "SELECT type, item_id FROM (" + r.merged(", d.item_id AS item_id, d.type AS type", ", item_id %[1]s, type %[1]s") + ") AS paged"
}

// numbered is page in the order of numbers: it only looks up documents on the page.
func (r *renderer) numbered() string {
	return "SELECT d.type, d.item_id FROM (" + r.merged("", "") + ") AS paged CROSS JOIN search_documents d WHERE d.seq = paged.k ORDER BY paged.tier, paged.k " +
		r.dir()
}

// merged cuts each part of the plan at the page's end, and takes the page from all of them.
func (r *renderer) merged(columns, ties string) string {
	end := r.args.Add(r.plan.skip + r.plan.take)
	limit := sqlx.Limit(end)
	ties = strings.ReplaceAll(ties, "%[1]s", r.dir())
	parts := r.union(func(s scan) string {
		if s.words != "" && r.plan.order.by == columnNumber && r.Fence() != "" {
			return r.readAhead(s, end)
		}
		return fmt.Sprintf("SELECT * FROM (SELECT %s AS tier, %s AS k%s%s ORDER BY %s%s) AS part",
			s.tier, r.key(s), columns, s.text(), r.along(s), limit)
	})
	return fmt.Sprintf("SELECT * FROM (%s) AS found ORDER BY tier, k %s%s%s OFFSET %s",
		parts, r.dir(), ties, sqlx.Limit(r.args.Add(r.plan.take)), r.args.Add(r.plan.skip))
}

// readAhead reads the first matches of a part before it checks which of them the viewer sees, and the part as a whole only
// if these are too few. PostgreSQL would otherwise include these checks in the cost of walking along the numbers, and
// therefore gather, check and sort all matches of words that are in less than a percent of all documents.
func (r *renderer) readAhead(s scan, end string) string {
	limit, n := sqlx.Limit(end), len(r.tables)/2
	read, shown := fmt.Sprint("read", n), fmt.Sprint("shown", n)
	some := 1 << bits.Len64(uint64(4*(r.plan.skip+r.plan.take))) // a literal, because PostgreSQL assumes an unknown limit to be a tenth of all rows
	order := " ORDER BY w.rowid " + r.dir()
	beyond, last := " < ", "min"
	if !r.plan.order.desc {
		beyond, last = " > ", "max"
	}
	checks := slices.DeleteFunc(slices.Clone(s.where), func(where string) bool { return where == s.words })
	r.tables = append(r.tables,
		read+" (rowid) AS MATERIALIZED (SELECT w.rowid FROM search_words w WHERE "+s.words+order+" LIMIT "+strconv.Itoa(some)+")",
		shown+" (tier, k) AS MATERIALIZED (SELECT "+s.tier+", w.rowid FROM "+read+" w WHERE "+strings.Join(append(checks, "TRUE"), " AND ")+order+limit+")")
	rest := s.and("(SELECT count(*) FROM "+shown+") < CAST("+end+" AS BIGINT)", "w.rowid"+beyond+"(SELECT "+last+"(rowid) FROM "+read+")")
	return "SELECT * FROM " + shown + " UNION ALL SELECT * FROM (SELECT " + s.tier + " AS tier, w.rowid AS k" + rest.text() + order + limit + ") AS part"
}

// pageAndTotal returns the page and the exact total of few results by reading all of them once. Without a driver there
// may be many, so it reads one more than the limit.
func (r *renderer) pageAndTotal() string {
	parts := r.union(func(s scan) string {
		return "SELECT " + s.tier + " AS tier, " + r.key(s) + " AS k, d.item_id AS item_id, d.type AS type" + s.text()
	})
	if r.plan.driver == noFilter {
		parts += sqlx.Limit(r.args.Add(r.is.limits.AtOnce + 1))
	}
	return fmt.Sprintf("SELECT type, item_id, total FROM (SELECT found.*, count(*) OVER () AS total FROM (%s) AS found) AS counted"+
		" ORDER BY tier, k %[2]s, item_id %[2]s, type %[2]s%[3]s OFFSET %[4]s",
		parts, r.dir(), sqlx.Limit(r.args.Add(r.plan.take)), r.args.Add(r.plan.skip))
}

// placed returns a page of the channel's connections, from the top.
func (r *renderer) placed() string {
	parts := r.union(func(s scan) string { return "SELECT c.id AS id, c.position_key AS k" + s.text() })
	return fmt.Sprintf("SELECT id FROM (%s) AS found ORDER BY k DESC%s OFFSET %s",
		parts, sqlx.Limit(r.args.Add(r.plan.take)), r.args.Add(r.plan.skip))
}

// owned returns a page of an owner's things. It merges what indexes return in order, and sorts only the contents of
// private channels.
func (r *renderer) owned() string {
	order := fmt.Sprintf(" ORDER BY k %[1]s, item_id %[1]s, type %[1]s", r.dir())
	parts := make([]string, len(r.plan.parts))
	for i, p := range r.plan.parts {
		parts[i] = r.ownedPart(r.scan(p))
	}
	return r.mergeSorted(parts, order)
}

// mergeSorted returns the page of several queries that each read an index in the order of the list.
func (r *renderer) mergeSorted(parts []string, order string) string {
	if len(parts) > 1 {
		limit := r.args.Add(r.plan.skip + r.plan.take)
		for i, p := range parts {
			parts[i] = r.SortedPart(p, order, limit)
		}
	}
	return strings.Join(parts, " UNION ALL ") + order + sqlx.Limit(r.args.Add(r.plan.take)) + " OFFSET " + r.args.Add(r.plan.skip)
}

func (r *renderer) ownedPart(s scan) string {
	return "SELECT " + s.distinct + "d.type AS type, d.item_id AS item_id, " + r.key(s) + " AS k" + s.text()
}

// renderCounts counts open and other documents by type.
func renderCounts(d sqlx.Dialect, q Query, p plan) statement {
	r := renderer{Dialect: d, q: q, plan: p, args: sqlx.Args{q.Viewer}}
	s := r.scan(part{})
	open := r.openDocument("d")
	return statement{"SELECT d.type, count(CASE WHEN " + open + " THEN 1 END), count(CASE WHEN " + open + " THEN NULL ELSE 1 END)" +
		s.text() + " GROUP BY d.type", r.args}
}

// edge returns the key of the last open document of the page, and the number of closed ones before it, up to one more
// than a limit.
func (r *renderer) edge() string {
	r.plan.parts = nil
	key := r.key(scan{})
	open, closed := part{span: openSpan, show: showOpen}, part{span: closedSpan}
	if r.plan.order.by == columnName || r.plan.order.by == columnRing {
		open.half, closed.half = firstHalf, firstHalf
	}
	last := r.scan(open)
	before := r.scan(closed).and(key + r.before() + "paged.k")
	return fmt.Sprintf("SELECT paged.k, (SELECT count(*) FROM (SELECT 1 AS one%s%s) AS counted) FROM (SELECT %s AS k%s ORDER BY %s%s OFFSET %s) AS paged",
		before.text(), sqlx.Limit(r.args.Add(r.is.limits.OnPage+1)), key, last.text(), r.along(last),
		sqlx.Limit("1"), r.args.Add(r.q.offset()+r.q.Page.Per))
}

// before returns the operator between a key and an equal or later one.
func (r *renderer) before() string {
	if r.plan.order.desc {
		return " >= "
	}
	return " <= "
}

func (r *renderer) dir() string {
	return sqlx.Direction(r.plan.order.desc)
}

// key returns the sort key.
func (r *renderer) key(s scan) string {
	switch r.plan.order.by {
	case columnCreated:
		return "d.created_at"
	case columnUpdated:
		return "d.updated_at"
	case columnName:
		return "d.name_key"
	case columnLinks:
		if r.plan.pending {
			return access.EffectiveLinks("d")
		}
		return "d.links"
	case columnRing:
		return "d.random_key"
	case columnShuffled:
		return r.shuffle()
	case columnNumber, columnAdded:
	}
	if r.plan.goal == pageAndTotal {
		return "d.seq"
	}
	return s.seq
}

// along returns the order of a part: first by tier if the part has several.
func (r *renderer) along(s scan) string {
	text := r.key(s) + " " + r.dir()
	if r.plan.order.by != columnNumber { // which are unique
		text += fmt.Sprintf(", d.item_id %[1]s, d.type %[1]s", r.dir())
	}
	if s.mixed {
		return s.tier + ", " + text
	}
	return text
}

// shuffle returns a sort key specific to the seed. Both halves of the random key are multiplied by factors from the
// seed, modulo a prime that keeps the products from overflowing: neither database can multiply modulo 2^64.
func (r *renderer) shuffle() string {
	const half, prime = 1<<31 - 1, 1<<31 - 1
	factor := func(n int64) string { return "CAST(" + r.args.Add(1+n%(prime-1)) + " AS BIGINT)" }
	first := chance(r.q.Seed)
	return fmt.Sprintf("((d.random_key & %d) * %s + (d.random_key >> 31 & %d) * %s) %% %d",
		half, factor(first), half, factor(chance(first)), prime)
}

// chance returns the start of the random order for a seed: a number from 0 to 2^63 - 1 (the finalizer of SplitMix64).
func chance(seed int64) int64 {
	x := uint64(seed) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int64((x ^ x>>31) >> 1)
}

// size returns a query for the number of documents that pass a filter, counted up to a limit, or an upper bound from
// stored counts.
func (r *renderer) size(f filter, limit int64) string {
	switch f {
	case byType:
		return "SELECT count(*) FROM (SELECT 1 AS one FROM search_documents x WHERE " + r.among("x.type", r.q.Types) + sqlx.Limit(r.args.Add(limit)) + ") AS few"
	case byAuthor:
		return ownedSize(domain.TypeUser, r.args.Add(r.q.Author))
	case madeByViewer:
		return ownedSize(domain.TypeUser, "$1")
	case inGroup:
		return ownedSize(domain.TypeGroup, r.args.Add(r.q.Group))
	case isFollowed:
		return followedSize
	case isCommented:
		return "SELECT count(*) FROM (SELECT 1 AS one FROM comments" + sqlx.Limit(r.args.Add(limit)) + ") AS few"
	case noFilter, byExtension, changedAfter, inChannel, alsoInChannel, createdFrom, createdBefore, isNumbered, byOthers, isBeyond, lacksWords, hasWords, ownedBy, isContent:
	}
	panic("search: this filter is not measured")
}

// among returns the condition that a column has one of several values.
func (r *renderer) among(column string, values []string) string {
	marks := make([]string, len(values))
	for i, value := range values {
		marks[i] = r.args.Add(value)
	}
	return column + " IN (" + strings.Join(marks, ", ") + ")"
}

func (r *renderer) engine() engine { return engineOf(r.Dialect) }

// matchQuery binds the words for a match.
func (r *renderer) matchQuery(where place) string {
	return r.args.Add(r.engine().query(r.q.Words, where))
}

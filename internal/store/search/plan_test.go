package search

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/words"
)

var (
	goalNames    = []string{"page", "count", "page and total"}
	filterNames  = []string{"", "types", "extensions", "after", "author", "mine", "followed", "group", "channel", "also in", "from", "before", "comments", "numbers", "others", "among", "beyond", "lacking", "words", "owner", "contents"}
	sourceNames  = []string{"index", "driver", "driver's numbers", "own blocks", "private contents", "private channels", "private blocks", "words", "titles", "texts", "name", "address", "made from address"}
	spanNames    = []string{"", " of open", " of closed"}
	showNames    = []string{"all", "open", "own", "private", "own or private", "visible", "blocks or visible", "blocks", "private channels", "closed", "closed blocks", "closed, seen in private"}
	halfNames    = []string{"", ", first half", ", second half", ", by halves"}
	privateNames = []string{"", "; private listed", "; private probed", "; private unlisted"}
	columnNames  = []string{"number", "created", "updated", "name", "links", "added", "ring", "shuffled"}
)

// explain describes a plan in words.
func explain(p plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s", goalNames[p.goal], columnNames[p.order.by])
	if p.order.desc {
		b.WriteString(" desc")
	}
	if p.driver != noFilter {
		b.WriteString("; driven by " + filterNames[p.driver])
	}
	for _, f := range p.checks {
		b.WriteString("; check " + filterNames[f])
	}
	b.WriteString(privateNames[p.private])
	if p.pending {
		b.WriteString("; pending")
	}
	for i, a := range p.parts {
		fmt.Fprintf(&b, "%s%s%s: %s%s", []string{" | ", " + "}[min(i, 1)], sourceNames[a.from], spanNames[a.span], showNames[a.show], halfNames[a.half])
		if a.edge {
			b.WriteString(", to the edge")
		}
		if a.tier == matchedTier {
			b.WriteString(", by tier")
		} else if a.tier > 0 && a.half == wholeOrder {
			fmt.Fprintf(&b, ", tier %d", a.tier)
		}
	}
	return b.String()
}

// planCase is a query and facts, with the plans of its page and of its count.
type planCase struct {
	name        string
	q           domain.Search
	viewer      domain.UserID
	is          statistics
	page, count string
}

// The plans for each kind of query, and the effect of each fact.
var planCases = []planCase{
	{"everything, a guest", domain.Search{}, 0, statistics{},
		"page by created desc | index of open: open", "count by created desc | index of open: open"},
	{"everything", domain.Search{}, 1, sees(5),
		"page by created desc; private listed | index of open: open + index of closed: own + private contents: private",
		"count by created desc; private listed | index of open: open + index of closed: own + private contents: private"},
	{"who sees nothing in private", domain.Search{}, 1, statistics{},
		"page by created desc | index of open: open + index of closed: own", "count by created desc | index of open: open + index of closed: own"},
	{"who sees very many private channels", domain.Search{}, 1, statistics{private: privateStatistics{many: true}},
		"page by created desc; private unlisted | index of open: open + index of closed: own + index of closed: private",
		"count by created desc; private unlisted | index of open: open + index of closed: own + index of closed: private"},
	{"few closed before the end of the page", domain.Search{}, 1, with(sees(5), func(stats *statistics) { stats.edge = int64(7) }),
		"page by created desc; private listed | index of open: open, to the edge + index of closed: own or private, to the edge", ""},
	{"while something is pending", domain.Search{}, 1, with(sees(5), func(stats *statistics) { stats.pending = true }),
		"page by created desc; private listed; pending | index of open: open + index of closed: open + index of open: own + index of closed: own + private contents: private",
		"count by created desc; private listed; pending | index of open: open + index of closed: open + index of open: own + index of closed: own + private contents: private"},
	{"by links", sorted(domain.Search{}, domain.SearchByConnections), 1, sees(5),
		"page by links desc; private listed | index of open: open + own blocks: own + private contents: private", ""},
	{"by links, very many private channels", sorted(domain.Search{}, domain.SearchByConnections), 1, statistics{private: privateStatistics{many: true}},
		"page by links desc; private unlisted | index of open: open + index of closed: own or private", ""},
	{"by name", sorted(domain.Search{}, domain.SearchByName), 1, sees(5),
		"page by name desc; private listed | index of open: open, first half + index of open: open, second half + own blocks: own, by halves + private contents: private, by halves",
		"count by name desc; private listed | index of open: open + index of closed: own + private contents: private"},
	{"by name, to the edge", sorted(domain.Search{}, domain.SearchByName), 1, with(sees(5), func(stats *statistics) { stats.edge = "m" }),
		"page by name desc; private listed | index of open: open, first half, to the edge + index of closed: own or private, first half, to the edge", ""},
	{"by chance, of many", sorted(domain.Search{}, domain.SearchByChance), 0, with(statistics{}, func(stats *statistics) { stats.counted = countedUpTo + 1 }),
		"page by ring | index of open: open, first half + index of open: open, second half", "count by ring | index of open: open"},
	{"by chance, of few", sorted(domain.Search{}, domain.SearchByChance), 0, with(statistics{}, func(stats *statistics) { stats.counted = 9 }),
		"page by shuffled | index of open: open", ""},

	{"words", domain.Search{Query: "moss"}, 1, sees(5),
		"page by number desc; private listed | name: visible, tier 1 + titles: visible, tier 2 + texts: visible, tier 3",
		"count by number desc; private listed | words: open + words: own or private"},
	{"words, a guest", domain.Search{Query: "moss"}, 0, statistics{},
		"page by number desc | name: open, tier 1 + titles: open, tier 2 + texts: open, tier 3", "count by number desc | words: open"},
	{"words, while something is pending", domain.Search{Query: "moss"}, 1, statistics{pending: true},
		"page by number desc; pending | name: visible, tier 1 + titles: visible, tier 2 + texts: visible, tier 3", "count by number desc; pending | words: visible"},
	{"words, newest first", sorted(domain.Search{Query: "moss"}, domain.SearchByCreated), 1, sees(30_000),
		"page by number desc; private probed | words: visible", "count by number desc; private probed | words: open + words: own or private"},
	{"words, by name", sorted(domain.Search{Query: "moss"}, domain.SearchByName), 1, statistics{},
		"page by name desc | words: visible, by halves", "count by name desc | words: open + words: own or private"},
	{"words with others left out", domain.Search{Query: "moss -fern OR"}, 1, sees(5),
		"page by number desc; private listed | name: visible, tier 1 + titles: visible, tier 2 + texts: visible, tier 3", // malformed
		"count by number desc; private listed | words: open + words: own or private"},
	{"words with others left out, which no name replaces", domain.Search{Query: "moss -fern"}, 1, sees(5),
		"page by number desc; private listed | titles: visible, tier 2 + texts: visible, tier 3", "count by number desc; private listed | words: open + words: own or private"},
	{"only omitted words", domain.Search{Query: "-fern"}, 0, statistics{},
		"page by created desc; check lacking | index of open: open", "count by created desc; check lacking | index of open: open"},
	{"of a time, in a second channel", domain.Search{From: time.Unix(1, 0), Before: time.Unix(2, 0), AlsoIn: 5}, 0, statistics{},
		"page by created desc; check also in; check from; check before | index of open: open", "count by created desc; check also in; check from; check before | index of open: open"},
	{"with comments", domain.Search{Commented: true}, 1, size(isCommented, 10_000),
		"page and total by created desc; driven by comments | driver: visible", "count by created desc; driven by comments | driver's numbers: open + driver's numbers: own or private"},
	{"with many comments", domain.Search{Commented: true}, 0, size(isCommented, 10_001),
		"page by created desc; check comments | index of open: open", "count by created desc; check comments | index of open: open"},
	{"words with comments, before they are counted", domain.Search{Query: "moss", Commented: true}, 0, uncounted(size(isCommented, 50_001)),
		"page and total by number desc; check comments | words: open, by tier", "count by number desc; check comments | words: open"},
	{"an address", domain.Search{Query: "https://example.org/a"}, 0, statistics{},
		"page by number desc | address: open + made from address: open + name: open, tier 1 + titles: open, tier 2 + texts: open, tier 3",
		"count by number desc | address: open + made from address: open + words: open"},

	{"a kind", domain.Search{Types: []string{"Image"}}, 0, size(byType, 1_000),
		"page by created desc; check types | index of open: open", "count by created desc; check types | index of open: open"},
	{"a rare kind", domain.Search{Types: []string{"Image"}}, 0, size(byType, 999),
		"page and total by created desc; driven by types | driver: open", "count by created desc; driven by types | driver's numbers: open"},
	{"two kinds, that no index has in order", domain.Search{Types: []string{"Image", "Link"}}, 0, size(byType, 1_000),
		"page and total by created desc; driven by types | driver: open", "count by created desc; driven by types | driver's numbers: open"},
	{"words of a kind", domain.Search{Query: "moss", Types: []string{"Image"}}, 0, size(byType, 50_000),
		"page and total by number desc; driven by types | words: open, by tier", "count by number desc; driven by types | words: open"},
	{"words of a common kind", domain.Search{Query: "moss", Types: []string{"Image"}}, 0, size(byType, 50_001),
		"page by number desc; check types | name: open, tier 1 + titles: open, tier 2 + texts: open, tier 3", "count by number desc; check types | words: open"},
	{"of an author", domain.Search{Author: 2}, 1, size(byAuthor, 5), // an index contains them in order
		"page by created desc; check author | index of open: open + index of closed: own", "count by created desc; check author | index of open: open + index of closed: own"},
	{"words of an author", domain.Search{Query: "moss", Author: 2}, 1, size(byAuthor, 5),
		"page and total by number desc; driven by author; check author | words: visible, by tier",
		"count by number desc; driven by author; check author | words: open + words: own or private"},
	{"after a time, of an extension", domain.Search{Extensions: []string{"gif"}, After: time.Unix(1, 0)}, 0, statistics{},
		"page by created desc; check extensions; check after | index of open: open", "count by created desc; check extensions; check after | index of open: open"},
	{"in a group", domain.Search{Group: 3}, 1, size(inGroup, 10_000),
		"page and total by created desc; driven by group | driver: all", "count by created desc; driven by group | driver's numbers: open + driver's numbers: own or private"},
	{"in a large group", domain.Search{Group: 3}, 1, size(inGroup, 10_001),
		"page by created desc; check group | index: all", "count by created desc; check group | index: all"},

	{"in a channel", domain.Search{Channel: 4}, 1, channelOf(3_000, false),
		"page and total by created desc; driven by channel | driver: blocks or visible", "count by created desc; driven by channel | driver's numbers: open + driver's numbers: own or private"},
	{"in a large channel", domain.Search{Channel: 4}, 1, channelOf(4_000, false),
		"page by created desc; check channel | index of open: all", "count by created desc; driven by channel | driver's numbers: open + driver's numbers: own or private"},
	{"in a large private channel", domain.Search{Channel: 4}, 1, with(channelOf(4_000, true), func(stats *statistics) { stats.private = sees(9).private }),
		"page by created desc; check channel; private listed | index of open: all + private channels: closed + index of closed: blocks", ""},
	{"in a large channel, very many private ones", domain.Search{Channel: 4}, 1, with(channelOf(4_000, false), func(stats *statistics) { stats.private.many = true }),
		"page by created desc; check channel; private unlisted | index of open: all + index of closed: private channels", ""},
	{"words in a channel", domain.Search{Query: "moss", Channel: 4}, 1, channelOf(16_000, false),
		"page and total by number desc; driven by channel | words: blocks or visible, by tier", "count by number desc; driven by channel | words: blocks or visible"},
	{"words in a large channel", domain.Search{Query: "moss", Channel: 4}, 1, channelOf(17_000, false),
		"page by number desc; check channel | name: blocks or visible, tier 1 + titles: blocks or visible, tier 2 + texts: blocks or visible, tier 3", "count by number desc; check channel | words: blocks or visible"},
	{"words in a large channel, before they are counted", domain.Search{Query: "moss", Channel: 4}, 1, uncounted(channelOf(17_000, false)),
		"page and total by number desc; check channel | words: blocks or visible, by tier", "count by number desc; check channel | words: blocks or visible"},
	{"words in fewer documents than a large channel has", domain.Search{Query: "moss", Channel: 4}, 1, matching(17_000, 17_000),
		"page and total by number desc; check channel | words: blocks or visible, by tier", "count by number desc; check channel | words: blocks or visible"},
	{"words in more documents than a large channel has", domain.Search{Query: "moss", Channel: 4}, 1, matching(100_002, 100_001),
		"page and total by number desc; driven by channel | words: blocks or visible, by tier", "count by number desc; driven by channel | words: blocks or visible"},
	{"words in more documents than a still larger one has", domain.Search{Query: "moss", Channel: 4}, 1, matching(100_003, 100_002),
		"page and total by number desc; check channel | words: blocks or visible, by tier", "count by number desc; check channel | words: blocks or visible"},
	{"words in what many are followed for, before they are counted", domain.Search{Query: "moss", Scope: domain.SearchFollowing}, 0, uncounted(size(isFollowed, 50_001)),
		"page and total by number desc; check followed | words: open, by tier", "count by number desc; check followed | words: open"},

	{"words by chance, of few", sorted(domain.Search{Query: "moss"}, domain.SearchByChance), 1, foundOpen(10_000, 1_000),
		"page by shuffled | words: visible", "count by shuffled | words: open + words: own or private"},
	{"words by chance, of many", sorted(domain.Search{Query: "moss"}, domain.SearchByChance), 1, foundOpen(10_001, 2_700_000),
		"page by ring; check words | index of open: open, first half + index of open: open, second half + own blocks: own, by halves", ""},
	{"words by chance, of many that are hard to find", sorted(domain.Search{Query: "moss"}, domain.SearchByChance), 1, foundOpen(10_001, 2_800_000),
		"page by ring | words: visible, by halves", ""},
	{"words by chance, of many that are at one place", sorted(domain.Search{Query: "moss"}, domain.SearchByChance), 1,
		with(foundOpen(10_001, 20_000), func(stats *statistics) { stats.documents = 22_000_000 }), "page by ring | words: visible, by halves", ""},
	{"words known to be in many", domain.Search{Query: "moss"}, 0, with(foundOpen(10_001, 20_000), func(stats *statistics) { stats.known = true }),
		"page by number desc | name: open, tier 1 + titles: open, tier 2 + texts: open, tier 3", ""},
	{"words known to be in many in a channel", domain.Search{Query: "moss", Channel: 4}, 1,
		with(matching(60_000, 40_000), func(stats *statistics) { stats.known, stats.counted = true, 10_001 }),
		"page by number desc; check channel | name: blocks or visible, tier 1 + titles: blocks or visible, tier 2 + texts: blocks or visible, tier 3", ""},
	{"words by chance, of many that are closed", sorted(domain.Search{Query: "moss"}, domain.SearchByChance), 1,
		with(foundOpen(10_001, 20_000), func(stats *statistics) { stats.open = 10_000 }), "page by ring | words: visible, by halves", ""},
	{"words of a kind by chance, of many", sorted(domain.Search{Query: "moss", Types: []string{"Text"}}, domain.SearchByChance), 0,
		with(foundOpen(10_001, 20_000), func(stats *statistics) { stats.sizes = map[filter]int64{byType: 50_001} }),
		"page by ring; check words; check types | index of open: open, first half + index of open: open, second half", ""},
	{"words by chance, of an engine that collects", sorted(domain.Search{Query: "moss"}, domain.SearchByChance), 0,
		with(foundOpen(10_001, 20_000), func(stats *statistics) { stats.reach = 0 }), "page by ring | words: open, by halves", ""},

	{"words of a rare kind in a channel", domain.Search{Query: "moss", Channel: 4, Types: []string{"Image"}}, 1,
		with(channelOf(3_000, false), func(stats *statistics) { stats.sizes = map[filter]int64{byType: 8_999} }),
		"page and total by number desc; driven by types; check channel | words: blocks or visible, by tier", "count by number desc; driven by types; check channel | words: blocks or visible"},

	{"what few are followed for", domain.Search{Scope: domain.SearchFollowing}, 1, size(isFollowed, 9),
		"page and total by created desc; driven by followed | driver: visible", "count by created desc; driven by followed | driver's numbers: open + driver's numbers: own or private"},
	{"what many are followed for", domain.Search{Scope: domain.SearchFollowing}, 1, with(size(isFollowed, 9), func(stats *statistics) { stats.followedOpen = countedUpTo + 1 }),
		"page by created desc; check followed | index of open: open + index of closed: own", ""},
	{"one's own by words", domain.Search{Query: "moss", Scope: domain.SearchMine}, 1, size(madeByViewer, 9),
		"page and total by number desc; driven by mine; check mine | words: visible, by tier", "count by number desc; driven by mine; check mine | words: open + words: own or private"},
}

func sees(blocks int64) statistics {
	return statistics{private: privateStatistics{ids: []domain.ChannelID{8}, blocks: blocks}}
}

func size(f filter, n int64) statistics { return statistics{sizes: map[filter]int64{f: n}} }

func channelOf(items int64, private bool) statistics {
	return statistics{channel: channelStatistics{items: items, open: items, private: private}}
}

func uncounted(stats statistics) statistics {
	stats.counted = -1
	return stats
}

// matching returns facts for words in n documents, and a channel of some items.
func matching(n, items int64) statistics {
	stats := uncounted(channelOf(items, false))
	stats.byRow, stats.matches = true, n
	return stats
}

// foundOpen returns facts for n open results among some documents. Each document can be checked against words.
func foundOpen(n, documents int64) statistics {
	return statistics{byRow: true, reach: 20_000, counted: n, open: n, within: documents, documents: documents}
}

func with(stats statistics, change func(*statistics)) statistics {
	change(&stats)
	return stats
}

func sorted(q domain.Search, by domain.SearchKey) domain.Search {
	q.Sort.Key = by
	return q
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range planCases {
		q := Query{Search: c.q, Viewer: c.viewer, Words: words.Parse(c.q.Query)}
		q.Sort.Desc, q.Page = true, domain.Page{Number: 3, Per: 24}
		c.is.limits = DefaultLimits
		p := choose(q, c.is)
		if got := explain(p); got != c.page {
			t.Errorf("%s: the page is\n%s, want\n%s", c.name, got, c.page)
		}
		if more := map[goal]int64{somePage: 25, pageAndTotal: 24}[p.goal]; p.skip != 48 || p.take != more {
			t.Errorf("%s: %d after %d", c.name, p.take, p.skip)
		}
		if got := explain(chooseCount(q, c.is)); got != c.count && c.count != "" {
			t.Errorf("%s: the count is\n%s, want\n%s", c.name, got, c.count)
		}
	}
}

// In a channel, results are its connections: these are joined to the matches, or read first if the query has no words.
func TestChooseInChannel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q     string
		types []string
		is    statistics
		want  string
	}{
		{"", nil, channelOf(10, false), "page by number | index: blocks or visible"},
		{"", []string{"Image"}, channelOf(10, true), "page by number; check types | index: blocks or visible"},
		{"moss", nil, channelOf(10, false), "page by number; driven by channel | words: blocks or visible"},
		{"moss", []string{"Image"}, channelOf(17_000, false), "page by number; check types | words: blocks or visible"},
		{"https://example.org/a", nil, channelOf(10, false),
			"page by number; driven by channel | address: blocks or visible + made from address: blocks or visible + words: blocks or visible"},
	} {
		q := Query{Search: sorted(domain.Search{Query: c.q, Types: c.types, Channel: 4}, domain.SearchByCreated), Viewer: 1, Words: words.Parse(c.q)}
		c.is.limits = DefaultLimits
		for goal, name := range map[goal]string{somePage: "page", countOnly: "count"} {
			p := chooseInChannel(q, c.is, goal)
			if want := strings.Replace(c.want, "page", name, 1); explain(p) != want || p.list != placed {
				t.Errorf("%q %v: %s, want %s", c.q, c.types, explain(p), want)
			}
		}
	}
}

// The end of a page is only measured if closed documents would otherwise be read for it.
func TestWantsEdge(t *testing.T) {
	t.Parallel()
	stats := with(sees(5), func(stats *statistics) { stats.limits, stats.counted = DefaultLimits, countedUpTo+1 })
	for i, c := range []struct {
		q      domain.Search
		viewer domain.UserID
		is     statistics
		want   bool
	}{
		{domain.Search{}, 1, stats, true},
		{domain.Search{}, 0, stats, false},
		{domain.Search{Query: "moss"}, 1, stats, false},
		{domain.Search{Author: 2}, 1, stats, false},
		{domain.Search{Types: []string{"Image"}}, 1, with(stats, func(stats *statistics) { stats.sizes = map[filter]int64{byType: 5_000} }), true},
		{domain.Search{Types: []string{"Image"}}, 1, with(stats, func(stats *statistics) { stats.sizes = map[filter]int64{byType: 5} }), false}, // all are read anyway
		{domain.Search{}, 1, with(stats, func(stats *statistics) { stats.pending = true }), false},
		{sorted(domain.Search{}, domain.SearchByChance), 1, stats, true},
		{sorted(domain.Search{}, domain.SearchByChance), 1, with(stats, func(stats *statistics) { stats.counted = 5 }), false},
	} {
		if got := wantsEdge(Query{Search: c.q, Viewer: c.viewer, Words: words.Parse(c.q.Query)}, c.is); got != c.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// Matches are counted if a channel is too large to be read first for any words, and small enough to be read first for
// common ones.
func TestCountsMatches(t *testing.T) {
	t.Parallel()
	for items, want := range map[int64]bool{16_666: false, 16_667: true, 100_001: true, 100_002: false} {
		stats := matching(0, items)
		stats.limits = DefaultLimits
		for query, asks := range map[string]bool{"moss": want, "*": false, "https://example.org/a": false} {
			q := Query{Search: domain.Search{Query: query, Channel: 4}, Words: words.Parse(query)}
			if got := countsMatches(q, stats); got != asks {
				t.Errorf("%q in %d items: %v", query, items, got)
			}
		}
		stats.byRow = false
		if countsMatches(Query{Search: domain.Search{Query: "moss", Channel: 4}, Words: words.Parse("moss")}, stats) {
			t.Errorf("%d items: counted for an engine that collects", items)
		}
	}
}

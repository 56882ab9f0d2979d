// Package search finds blocks, channels, users and groups: by words and filters, in one
// channel, and as lists of what somebody made or a group has. It gives ids of what the viewer
// may see, and reads nothing of the things themselves.
//
// Every list takes four steps. gather measures what a choice depends on (facts.go); choose, a
// pure function, decides on a plan (plan.go); render writes it as one statement, the same for
// both databases but for how each asks for words (render.go); and the statement runs.
package search

import (
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// countedUpTo is how many results are counted one by one. A longer list says at least so many.
const countedUpTo = 10_000

// Limits say how many documents are few. BeforeWords and BeforeOrder are how many may pass a
// filter for it to be read first: before the words, or before the order where there are none.
// OnPage is how many closed documents are looked up one by one for a page. Seen is how many
// documents in private channels are read at once when one of them may be met. Shuffled is how
// many results, of those that are counted, are put in an order of the seed's own; more are read
// along one order that all seeds share. Listed is how many private items of a channel are listed
// in the program, and Private how many private channels that a viewer sees; where there are
// more, each is looked up that is met. Few is how many places of words are read, by the statement that
// gives all that a search finds where they are fewer; 0 does without that statement. Gathered is how many
// results PostgreSQL is made to find all of before it takes a page of them. AtOnce is how many results
// that only a look at their connections tells are read for a page and its total together.
type Limits struct {
	Few, Gathered, AtOnce, BeforeWords, BeforeOrder, OnPage, Seen, Shuffled, Listed, Private int64
}

// DefaultLimits are estimated from single figures on SQLite: to read the numbers of 44,000
// documents took as long as to look at some 20,000 matches one by one; to look up a closed
// document takes up to 10 µs, and to read one that is seen 2 µs.
var DefaultLimits = Limits{Few: 250, Gathered: 5_000, AtOnce: countedUpTo, BeforeWords: 50_000, BeforeOrder: 10_000, OnPage: 1_000, Seen: 20_000,
	Shuffled: countedUpTo, Listed: 1_000, Private: 10_000}

// Query asks for a page of documents that the viewer may see.
type Query struct {
	domain.Search
	Viewer domain.UserID
	Words  words.Query // what Query says
}

// Finder runs searches on a connection.
type Finder struct {
	sqlx.Conn
	Limits Limits
}

// filter is what a query can ask for beside words.
type filter int

// The filters, in the order in which a document is held against them.
const (
	noFilter filter = iota
	byType
	byExtension
	changedAfter
	byAuthor
	madeByViewer
	isFollowed
	inGroup
	inChannel

	hasWords  // of what is not read by its words
	ownedBy   // of lists of what somebody has
	isContent // a block or a channel
)

// filters are those that the query sets.
func (q Query) filters() (set []filter) {
	for f, is := range [...]bool{
		byType: len(q.Types) > 0, byExtension: len(q.Extensions) > 0, changedAfter: !q.After.IsZero(), byAuthor: q.Author != 0,
		madeByViewer: q.Scope == domain.SearchMine, isFollowed: q.Scope == domain.SearchFollowing,
		inGroup: q.Group != 0, inChannel: q.Channel != 0,
	} {
		if is {
			set = append(set, filter(f))
		}
	}
	return set
}

// address is the key of the page that the query is the address of, 0 if it is none.
func (q Query) address() int64 { return words.Source(q.Query) }

// name is the key of a thing called as the query, "" if that is too long for one.
func (q Query) name() string {
	if key := words.Key(q.Query); len(key) < words.LongestKey {
		return key
	}
	return ""
}

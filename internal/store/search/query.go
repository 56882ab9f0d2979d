// Package search finds blocks, channels, users and groups: by words and filters, in one channel, and as lists of a
// user's creations or a group's contents. It returns ids that the viewer may see, and does not read the things
// themselves.
//
// Every list takes four steps. gather measures the statistics (statistics.go). choose, a pure function, chooses a plan (plan.go).
// render writes the plan as one statement, which is the same for both databases except for the conditions on words
// (render.go). Finally, the statement runs.
//
// A document is what lists and search store of a block, channel, user or group: its row in search_documents, its words
// in search_words, and a row of group_items for each group that has it. A transaction that writes the names and texts of
// an item also writes its document.
package search

import (
	"cmp"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// countedUpTo is the maximum number of results that are counted exactly, by default. The total of a longer list is at
// least this number.
const countedUpTo = 10_000

const spare = countedUpTo / 10

// Limits are the numbers that separate few documents from many. A filter that at most BeforeWords
// documents pass is read before the words; without words, one that at most BeforeOrder documents
// pass is read before the order. OnPage is how many closed documents are looked up individually for
// a page. Seen is how many documents in private channels are read at once to check for one of them.
// Shuffled is how many counted results are sorted in the seed's own order; beyond it, all seeds
// share one order. Listed is how many private items of a channel the program lists, and Private how
// many private channels of a viewer; beyond them, each document is looked up. Few is the limit on
// occurrences of the words for the statement that returns all results at once; 0 disables that
// statement. Counted is how many results are counted exactly, and Spare how many more are counted, so that this many can
// go before they are counted again (see Known). Nearest is how many matches are checked against a channel for a page.
// Gathered is how many results PostgreSQL must find before it takes a page of them. AtOnce is how many results that
// depend on connections are read for a page and its total together.
type Limits struct {
	Rare, Counted, Spare, Nearest, Gathered, AtOnce, BeforeWords, BeforeOrder, OnPage, Seen, Shuffled, Listed, Private int64
}

// counted returns the maximum number of results that are counted exactly.
func (l Limits) counted() int64 { return cmp.Or(l.Counted, countedUpTo) }

// countTo returns the number up to which results are counted.
func (l Limits) countTo() int64 { return l.counted() + l.Spare + 1 }

// DefaultLimits are estimated from a few measurements on SQLite: reading the numbers of 44,000 documents took as long as
// checking some 20,000 matches individually; looking up a closed document takes up to 10 µs, and reading a visible one 2
// µs.
var DefaultLimits = Limits{Rare: 250, Counted: countedUpTo, Spare: spare, Nearest: 10_000, Gathered: 5_000, AtOnce: countedUpTo + spare,
	BeforeWords: 50_000, BeforeOrder: 10_000, OnPage: 1_000, Seen: 20_000, Shuffled: countedUpTo, Listed: 1_000, Private: 10_000}

// Query requests a page of documents that the viewer may see.
type Query struct {
	domain.Search
	Viewer domain.UserID
	Words  words.Query      // the parsed Query
	New    Numbers          // for NewResults; zero for all documents
	Among  []domain.BlockID // only these, unless it is nil
	Beyond *Place           // only documents after it, in the order of creation; nil for all

	before int64 // results of a previous search on the list that begins with them
}

// Place is the place of a document in the order of creation. It does not change.
type Place struct {
	Number, Created, Item int64
	Type                  string
}

// Numbers is a range of numbers of documents.
type Numbers struct{ After, UpTo int64 }

// offset returns the number of results before the page.
func (q Query) offset() int64 { return max(0, q.Page.Offset()-q.before) }

// titlePlace returns the place of words in titles. An index of titles does not have
// the rest of the texts, which the operators of restricted queries are about.
func (q Query) titlePlace() place {
	if q.Words.Inexact || q.Words.Restricted() {
		return inFormOfTitle
	}
	return inTitle
}

// Finder runs searches on a connection.
type Finder struct {
	sqlx.Conn
	Limits Limits
	Known  *Known
}

// filter is a condition of a query other than its words.
type filter int

// The filters, in the order in which documents are checked.
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
	alsoInChannel
	createdFrom
	createdBefore
	isCommented
	isNumbered // in a range of numbers
	byOthers
	isAmong
	isBeyond
	lacksWords // for a query that only says which words are missing

	hasWords  // if the words are not read first
	ownedBy   // for lists of an owner's things
	isContent // a block or a channel
)

// filters returns the filters of the query.
func (q Query) filters() (set []filter) {
	for f, is := range [...]bool{
		byType: len(q.Types) > 0, byExtension: len(q.Extensions) > 0, changedAfter: !q.After.IsZero(), byAuthor: q.Author != 0,
		madeByViewer: q.Scope == domain.SearchMine, isFollowed: q.Scope == domain.SearchFollowing,
		inGroup: q.Group != 0, inChannel: q.Channel != 0,
		alsoInChannel: q.AlsoIn != 0, createdFrom: !q.From.IsZero(), createdBefore: !q.Before.IsZero(), isCommented: q.Commented,
		isNumbered: q.New.UpTo != 0, byOthers: q.New.UpTo != 0,
		isAmong:    q.Among != nil,
		isBeyond:   q.Beyond != nil,
		lacksWords: q.Words.Everything && len(q.Words.Without) > 0,
	} {
		if is {
			set = append(set, filter(f))
		}
	}
	return set
}

// address returns the key of the page whose URL the query is, or 0. Its blocks are exact results.
func (q Query) address() int64 {
	if q.Words.Inexact {
		return 0
	}
	return words.Source(q.Words.Plain)
}

// name returns the key of things with the query as their name, or "" if it is too long.
func (q Query) name() string {
	if key := words.Key(q.Words.Plain); len(key) < words.LongestKey && !q.Words.Inexact && !q.Words.HasSigns() {
		return key
	}
	return ""
}

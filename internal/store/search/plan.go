package search

import "strconv"

// plan describes how one statement finds its documents. It does not change after it was chosen.
type plan struct {
	goal    goal
	driver  filter   // read first; the results are then checked against the rest
	checks  []filter // further conditions on a document
	private private  // how to handle the viewer's private channels
	pending bool     // look up what is open
	parts   []part   // disjoint; those of lower tiers come first
	order   order
	skip    int64
	take    int64

	list      list
	table     table
	backwards bool // read the page from the list's end
}

// list is the kind of list of a plan.
type list int

const (
	found  list = iota // in the order of a search
	placed             // connections of the channel, from the top
	owned              // a user's creations, or a group's contents
)

// table is the table of the documents.
type table int

const (
	documentTable     table = iota
	groupItems              // copies of a group's documents
	pendingGroupItems       // the same, with pending changes applied
)

// goal is the result of a statement.
type goal int

const (
	somePage     goal = iota
	countOnly         // up to one more than the counting limit
	pageAndTotal      // reads everything
)

// part is a set of documents that are read together.
type part struct {
	from source
	span span
	show show
	half half
	tier tier
	edge bool // ends with the last open document of the page
}

// source is where a part reads its documents.
type source int

const (
	documents       source = iota // a range of an index, in its order
	driverDocuments               // the documents that pass the driver
	driverNumbers                 // the same, if only their numbers are needed
	ownBlocks                     // closed ones of the viewer
	privateContents               // the viewer's private channels, and the blocks in them
	privateChannels               // only the former
	privateBlocks                 // only the latter
	matches                       // of the words, anywhere
	titles                        // of the words, in the title
	texts                         // of the words, elsewhere
	named                         // with the query as their name
	fromAddress                   // of the page whose URL the query is
	madeFromAddress               // created from that URL, but now of another page
)

// byNumber reports whether a source is a list of numbers that may not need the documents.
func (s source) byNumber() bool {
	return s == driverNumbers || s == matches || s == titles || s == texts
}

// span is the range of an index of documents to read. The indexes begin with `open`.
type span int

const (
	bothSpans span = iota
	openSpan
	closedSpan
)

// show is the subset of documents that a part shows.
type show int

const (
	showAll            show = iota
	showOpen                // visible to everyone
	showClosedOwn           // the viewer's own block, not open
	showClosedPrivate       // visible as or in a private channel; neither open nor the viewer's own block
	showClosedVisible       // the previous two
	showVisible             // open, and the previous one
	showInsideChannel       // a block, or a visible channel
	showBlocks              // a block
	showClosedChannels      // a private channel that the viewer sees, each looked up
	showClosed              // not open
	showClosedBlocks        // and not a channel
	showClosedSeen          // looked up in private channels
)

// half is a half of an order that has two.
type half int

const (
	wholeOrder half = iota
	firstHalf
	secondHalf
	eitherHalf // looked up for each
)

// tier is a rank before the order.
type tier int

func (t tier) String() string { return strconv.Itoa(int(t)) }

// Tiers of results by score.
const (
	tierNamed tier = 1 + iota // with the query as their name
	tierTitle                 // with the words in the title
	tierText
	tierTitleForm // with the words in other forms
	tierTextForm

	matchedTier tier = -1 // looked up for each document
)

// private is how to handle documents that the viewer only sees in private channels.
type private int

const (
	privateNone     private = iota // there are no such channels
	privateListed                  // read their contents once
	privateProbed                  // the same for lists, but look up single documents
	privateUnlisted                // look up each document
)

// order is the order of results within their tiers.
type order struct {
	by   column
	desc bool
}

type column int

const (
	columnNumber column = iota // assigned in the order of creation, which is also the order of the words
	columnCreated
	columnUpdated
	columnName
	columnLinks
	columnAdded    // last addition to a channel
	columnRing     // one random order, which starts at the seed's point
	columnShuffled // a random order of the seed, which requires reading all results
)

package search

// plan is how one statement finds its documents. It is chosen once and not changed after that.
type plan struct {
	goal    goal
	driver  filter   // what passes it is read first, and then held against the rest
	checks  []filter // what else a document is asked
	private private  // how the viewer's private channels are met
	pending bool     // what is open is looked up
	parts   []part   // they are disjoint; those of lower tiers come first
	order   order
	skip    int64
	take    int64

	list      list
	table     table
	backwards bool // the page is read from the list's end
}

// list is what kind of list a plan is for.
type list int

const (
	found  list = iota // in the order of a search
	placed             // connections of the channel, from the top
	owned              // what somebody made, or a group has
)

// table is what has the documents.
type table int

const (
	documentTable     table = iota
	groupItems              // copies of those that a group has
	pendingGroupItems       // what these will be when nothing is pending any more
)

// goal is what a statement gives.
type goal int

const (
	somePage     goal = iota
	countOnly         // up to one more than are counted
	pageAndTotal      // everything is read
)

// part is documents that are read together.
type part struct {
	from source
	span span
	show show
	half half
	tier tier
	edge bool // it ends with the last open document of the page
}

// source is where the documents of a part come from.
type source int

const (
	documents       source = iota // a range of an index, in its order
	driverDocuments               // what passes the driver
	driverNumbers                 // the same, where their numbers are all that is asked for
	ownBlocks                     // the viewer's, that are closed
	privateContents               // the viewer's private channels, and the blocks in them
	privateChannels               // the former alone
	privateBlocks                 // the latter alone
	matches                       // of the words, anywhere
	titles                        // of the words, in the title
	texts                         // of the words, elsewhere
	named                         // called as the query is
	fromAddress                   // from the page that the query is the address of
	madeFromAddress               // made from it, and from another page by now
)

// byNumber reports whether a source is a list of numbers, which may do without the documents.
func (s source) byNumber() bool {
	return s == driverNumbers || s == matches || s == titles || s == texts
}

// span is the half of an index of documents that is read: each begins with `open`.
type span int

const (
	bothSpans span = iota
	openSpan
	closedSpan
)

// show is which of its documents a part shows.
type show int

const (
	all            show = iota
	open                // everyone may see it
	closedOwn           // the viewer's own block, not open
	closedPrivate       // seen in a private channel, or as one; neither open nor one's own block
	closedMine          // the two former
	visible             // what is open, and the former
	insideChannel       // a block, or a channel that is visible
	blocks              // a block
	closedChannels      // a private channel that the viewer sees, each looked up
	closed              // what is not open
	closedBlocks        // and is no channel
	closedSeen          // looked up in private channels
)

// half is part of an order that has two.
type half int

const (
	wholeOrder half = iota
	firstHalf
	secondHalf
	eitherHalf // looked up for each
)

// tier is a rank that goes before the order.
type tier int

// matchedTier is looked up for each document: 1 for those called as the query, 2 for those
// with the words in the title, 3 for others.
const matchedTier tier = -1

// private is how documents are met that the viewer sees in private channels alone.
type private int

const (
	none     private = iota // there are no such channels
	listed                  // what is in them is read once
	probed                  // the same for lists, but a single document is looked up
	unlisted                // each document is looked up
)

// order is what results are ordered by, within their tiers.
type order struct {
	by   column
	desc bool
}

type column int

const (
	number column = iota // things get theirs in the order in which they are made, and words are kept in it
	created
	updated
	name
	links
	added    // last addition to a channel
	ring     // one order by chance, that begins where the seed says
	shuffled // an order of the seed's own, for which all that is found is read
)

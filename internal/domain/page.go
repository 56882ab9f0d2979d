package domain

// Page is a request for one page of a list: Number from 1, Per items.
type Page struct{ Number, Per int64 }

// Offset is how many items come before the page. It does not overflow: pages that
// far out are empty.
func (p Page) Offset() int64 {
	const most = int64(1) << 52
	if p.Number > most/MaxPerPage {
		return most
	}
	return (p.Number - 1) * p.Per
}

// List is one page of items and how many there are in all.
type List[T any] struct {
	Items []T
	Total int64
}

// ContentSort is an order of a channel's contents.
type ContentSort struct {
	Key  ContentKey
	Desc bool
}

// ContentKey is what contents are ordered by.
type ContentKey int

// The keys of contents: the manual arrangement, the time of connecting, and the
// item's own time of change.
const (
	ByPosition ContentKey = iota
	ByConnected
	ByUpdated
)

// Ownership narrows a list of connections by who made them.
type Ownership string

// The ownership filters.
const (
	AnyOwner   Ownership = "ALL"
	Own        Ownership = "OWN"
	ExcludeOwn Ownership = "EXCLUDE_OWN"
)

// Validate checks that the page is one that can be asked for.
func (p Page) Validate() error {
	if p.Number >= 1 && p.Per >= 1 && p.Per <= MaxPerPage {
		return nil
	}
	var f Faults
	f.Positive("page", p.Number)
	f.Between("per", p.Per, 1, MaxPerPage)
	return f.Err()
}

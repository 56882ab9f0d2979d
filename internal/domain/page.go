package domain

// Page selects a page of a list. Number starts at 1; Per is the number of items per page.
type Page struct{ Number, Per int64 }

// Offset returns the number of items before the page. It does not overflow: pages that far out are
// empty.
func (p Page) Offset() int64 {
	const most = int64(1) << 52
	if p.Number > most/MaxPerPage {
		return most
	}
	return (p.Number - 1) * p.Per
}

// List is one page of items and the total number.
type List[T any] struct {
	Items []T
	Total int64
}

// ContentSort is a sort order of a channel's contents.
type ContentSort struct {
	Key  ContentKey
	Desc bool
}

// ContentKey is a sort key of contents.
type ContentKey int

// The sort keys of contents: the manual order, the time of connecting, the item's own modification
// time, and its title, for channels of up to MaxByTitle items.
const (
	ByPosition ContentKey = iota
	ByConnected
	ByUpdated
	ByTitle
)

// Ownership filters a list of connections by who created them.
type Ownership string

const (
	AnyOwner   Ownership = "ALL"
	Own        Ownership = "OWN"
	ExcludeOwn Ownership = "EXCLUDE_OWN"
)

// Validate checks the page.
func (p Page) Validate() error {
	if p.Number >= 1 && p.Per >= 1 && p.Per <= MaxPerPage {
		return nil
	}
	var f Faults
	f.Positive("page", p.Number)
	f.Between("per", p.Per, 1, MaxPerPage)
	return f.Err()
}

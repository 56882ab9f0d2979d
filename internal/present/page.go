package present

import (
	"maps"
	"net/url"
	"strconv"
	"time"

	"vitrine/internal/domain"
)

// Page is where a page stands in its list (behaviour.md section 1).
type Page struct {
	domain.Page
	Total int64 // items that the viewer may see
}

// Pages is how many pages there are.
func (p Page) Pages() int64 { return (p.Total + p.Per - 1) / p.Per }

// Next is the number of the page that follows, 0 for none.
func (p Page) Next() int64 {
	if p.Number < p.Pages() {
		return p.Number + 1
	}
	return 0
}

// Prev is the number of the page before, 0 for none. Before a page past the end comes
// the last.
func (p Page) Prev() int64 {
	if p.Number > 1 {
		return min(p.Number-1, max(p.Pages(), 1))
	}
	return 0
}

// PageAddress is the address of a page, by its number, of the list that a path and a query
// name; "" for number 0.
func PageAddress(path string, query url.Values, number int64) string {
	if number == 0 {
		return ""
	}
	q := maps.Clone(query)
	if q == nil {
		q = url.Values{}
	}
	q.Set("page", strconv.FormatInt(number, 10))
	return path + "?" + q.Encode()
}

// Machine writes an instant for programs, as in the attribute datetime of HTML.
func Machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

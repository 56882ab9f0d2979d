package present

import (
	"maps"
	"net/url"
	"strconv"
	"time"

	"vitrine/internal/domain"
)

// Page is the position of a page in its list (behaviour.md section 1).
type Page struct {
	domain.Page
	Total int64 // items that the viewer may see
}

// Pages returns the number of pages.
func (p Page) Pages() int64 { return (p.Total + p.Per - 1) / p.Per }

// Next returns the number of the next page, or 0 if this is the last one.
func (p Page) Next() int64 {
	if p.Number < p.Pages() {
		return p.Number + 1
	}
	return 0
}

// Prev returns the number of the previous page, or 0 if this is the first one. Beyond the end, it
// returns the last page.
func (p Page) Prev() int64 {
	if p.Number > 1 {
		return min(p.Number-1, max(p.Pages(), 1))
	}
	return 0
}

// PageAddress returns the address of a page, by its number, of the list with a path and a query;
// "" for number 0.
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

// Machine formats a time for programs, as in the attribute datetime of HTML.
func Machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

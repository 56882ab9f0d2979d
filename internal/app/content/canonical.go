package content

import (
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/page"
	"vitrine/internal/words"
)

// canonicalOf returns another URL of the page that a user saved: the target of its redirects, or the URL that the page
// declares as canonical. The block is found by either. It returns "" if neither can be trusted:
//
//   - Only permanent redirects (301, 308) lead to the same page. Other redirects may lead to a login page.
//   - The URL must belong to the site that was saved. Otherwise a page could pose as a page of another site.
//   - Many sites declare their home page, or the first page of a list, as the canonical URL of all pages. A
//     home page is only canonical for itself, and each parameter that distinguishes pages must be kept.
//   - Browser applications keep their route in the fragment, which a declared URL does not have.
func canonicalOf(given *url.URL, answer *fetch.Response, declared *url.URL) string {
	own := words.Source(given.String())
	moved := words.Source(answer.URL.String()) != own
	if words.IsRoute(given.Fragment) || moved && (answer.Moved || !page.SameSite(given, answer.URL)) || !page.SameSite(given, declared) {
		return ""
	}
	kept := words.Parameters(declared.RawQuery)
	if strings.Trim(declared.Path, "/") == "" && len(kept) == 0 && strings.Trim(given.Path, "/") != "" {
		return ""
	}
	for _, parameter := range words.Parameters(given.RawQuery) {
		if !slices.Contains(kept, parameter) {
			return ""
		}
	}
	address := declared.String()
	if words.Source(address) == own || len(address) > domain.MaxURL {
		return ""
	}
	return address
}

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

// canonicalOf returns another URL of the page that a user saved: the one to which the saved URL redirected,
// or the one that the page declares as its own. The block is found by either. It returns "" if neither can be
// believed:
//
//   - Only redirects that are permanent (301, 308) lead to the same page. A login page is reached by others.
//   - The URL must belong to the site that was saved. Another site could be passed off as the page.
//   - Many sites declare their home page, or the first page of a list, as the canonical URL of all pages. A
//     home page is only itself, and each parameter that distinguishes pages must be kept.
//   - The route of an application in the browser is in the fragment, which a declared URL does not have.
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

package page

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/weburl"
)

var langPattern = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,5}$`)

// choose selects the title, description and so on from the page's metadata: OpenGraph before
// Twitter cards before JSON-LD before plain HTML.
func (s said) choose(at, base *url.URL) Page {
	ld := readLinked(s.scripts)
	title, titled := s.chooseTitle(at, ld)
	p := Page{
		Title:  title,
		Titled: titled,
		Description: firstLine(maxDescription,
			s.first("og:description"), s.first("twitter:description"), ld.description,
			s.first("description", "dc.description", "dcterms.description")),
		SiteName:  firstLine(maxName, s.first("og:site_name"), ld.site, s.first("application-name")),
		Author:    firstLine(maxName, s.author(ld)...),
		Lang:      s.language(),
		Canonical: s.canonical(at, base),
		OEmbed:    s.endpoints(base),
	}
	p.Images, p.ImageAlt = s.images(base, ld)
	p.Pictures = s.bodyPictures(base)
	return p
}

// noTitles are default titles of editors.
var noTitles = []string{"untitled", "untitled document", "untitled page", "new page", "document"}

// chooseTitle returns the title of the page. It is never empty: if the page declares none, and titled is
// false, it is the first heading, or else the name of the site or the host.
func (s said) chooseTitle(at *url.URL, ld linked) (title string, titled bool) {
	for _, candidate := range []string{s.first("og:title"), s.first("twitter:title"), ld.title, s.title,
		s.first("title", "dc.title", "dcterms.title")} {
		title := line(candidate, maxTitle)
		if title != "" && !slices.Contains(noTitles, strings.ToLower(title)) {
			return title, true
		}
	}
	return firstLine(maxTitle, s.heading, s.first("og:site_name"), ld.site, s.first("application-name"),
		strings.TrimPrefix(weburl.ReadableHost(at.Hostname()), "www.")), false
}

// firstLine returns the first text that is not empty after cleaning.
func firstLine(limit int, candidates ...string) string {
	for _, candidate := range candidates {
		if cleaned := line(candidate, limit); cleaned != "" {
			return cleaned
		}
	}
	return ""
}

// first returns the content of the first <meta> with one of the names, in the order of the names.
func (s said) first(names ...string) string {
	for _, name := range names {
		for _, m := range s.metas {
			if m.name == name && line(m.content, 1) != "" {
				return m.content
			}
		}
	}
	return ""
}

// author returns the candidates for the author, best first. Some pages use the address of a profile
// instead of a name.
func (s said) author(ld linked) []string {
	candidates := []string{s.first("author"), s.first("article:author"), ld.author,
		s.first("dc.creator", "dcterms.creator"), s.first("twitter:creator")}
	return slices.DeleteFunc(candidates, func(name string) bool { return strings.Contains(name, "://") })
}

// language returns the language of the page as a tag, or "".
func (s said) language() string {
	for _, candidate := range []string{s.lang, s.first("og:locale")} {
		tag := strings.ReplaceAll(strings.TrimSpace(candidate), "_", "-")
		if langPattern.MatchString(tag) {
			return tag
		}
	}
	return ""
}

// resolveBase returns the base of the page's relative addresses.
func (s said) resolveBase(at *url.URL) *url.URL {
	if base, ok := absolute(at, s.base); ok {
		return base
	}
	return at
}

// canonical returns the address that the page declares as its own. It ignores other sites, since a
// page could impersonate them.
func (s said) canonical(at, base *url.URL) *url.URL {
	candidates := s.hrefs("canonical", "")
	candidates = append(candidates, s.first("og:url"))
	for _, candidate := range candidates {
		if u, ok := absolute(base, candidate); ok && related(hostOf(u), hostOf(at)) {
			return u
		}
	}
	return at
}

// hrefs returns the addresses of links with a relation and a media type. "" matches any media type.
func (s said) hrefs(rel, kind string) []string {
	var found []string
	for _, l := range s.links {
		if slices.Contains(strings.Fields(l.rel), rel) && (kind == "" || l.kind == kind) {
			found = append(found, l.href)
		}
	}
	return found
}

// endpoints returns the oEmbed endpoints that the page links to.
func (s said) endpoints(base *url.URL) []Endpoint {
	var found []Endpoint
	for _, kind := range []string{"application/json+oembed", "text/xml+oembed", "application/xml+oembed"} {
		for _, href := range s.hrefs("alternate", kind) {
			if u, ok := absolute(base, href); ok && len(found) < maxEndpoints {
				found = append(found, Endpoint{URL: u.String()})
			}
		}
	}
	return found
}

package feeds

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/domain"
)

// A sitemap contains the pages with perFile consecutive IDs, so a page never moves to another file
// and nothing has to be counted. They are read perRead IDs at a time. The protocol allows 50,000
// pages per file; smaller files cost less per request.
const (
	perFile = 10_000
	perRead = 1_000
)

// listedKinds are the kinds of pages in sitemaps, by file name. Blocks are not included: most are
// images and links without their own text, and their channels link to them.
var listedKinds = []struct {
	name string
	kind domain.SubjectType
}{{"channels", domain.SubjectChannel}, {"users", domain.SubjectUser}, {"groups", domain.SubjectGroup}}

const (
	sitemapXMLNS   = "http://www.sitemaps.org/schemas/sitemap/0.9"
	sitemapsPrefix = "/sitemaps/"
)

// sitemapIndex lists the sitemaps.
func (h *Handler) sitemapIndex(w http.ResponseWriter, r *http.Request) error {
	channels, users, groups, err := h.o.App.Finder.LastIDs(r.Context())
	if err != nil {
		return err
	}
	last := map[domain.SubjectType]int64{domain.SubjectChannel: channels, domain.SubjectUser: users, domain.SubjectGroup: groups}
	var body bytes.Buffer
	body.WriteString(xml.Header + `<sitemapindex xmlns="` + sitemapXMLNS + `">` + "\n")
	for _, k := range listedKinds {
		for n := range (last[k.kind] + perFile - 1) / perFile {
			body.WriteString("<sitemap><loc>" + h.o.Addresses.Site + sitemapsPrefix + k.name + "-" + itoa(n+1) + ".xml</loc></sitemap>\n")
		}
	}
	body.WriteString("</sitemapindex>\n")
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // fails only if the client is gone
	return nil
}

// sitemap returns the handler of a sitemap by its name, or nil.
func (h *Handler) sitemap(name string) answer {
	name, ok := strings.CutSuffix(name, ".xml")
	kind, number, cut := strings.Cut(name, "-")
	n, _, valid := domain.IsID(number)
	if !ok || !cut || !valid || n > 1<<40 || itoa(n) != number {
		return nil
	}
	for _, k := range listedKinds {
		if k.name == kind {
			return func(w http.ResponseWriter, r *http.Request) error { return h.writeSitemap(w, r, k.kind, n) }
		}
	}
	return nil
}

func (h *Handler) writeSitemap(w http.ResponseWriter, r *http.Request, kind domain.SubjectType, n int64) error {
	var body bytes.Buffer
	body.WriteString(xml.Header + `<urlset xmlns="` + sitemapXMLNS + `">` + "\n")
	in := domain.ListingRange{After: (n - 1) * perFile, Upto: n * perFile, Limit: perRead}
	for more := true; more; {
		all, err := h.o.App.Finder.Listings(r.Context(), kind, h.o.App.Exposure.IndexClosed, in)
		if err != nil {
			return err
		}
		for _, l := range all {
			in.After = l.ID
			body.WriteString("<url><loc>" + h.listedURL(kind, l) + "</loc><lastmod>" + l.UpdatedAt.UTC().Format(time.RFC3339) + "</lastmod></url>\n")
		}
		more = len(all) == in.Limit
	}
	body.WriteString("</urlset>\n")
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // fails only if the client is gone
	return nil
}

// listedURL returns the URL of a page. Slugs contain no characters that XML would escape.
func (h *Handler) listedURL(kind domain.SubjectType, l domain.Listing) string {
	switch kind {
	case domain.SubjectChannel:
		return h.o.Addresses.Channel(&domain.Channel{Slug: l.Slug, Owner: domain.Principal{Slug: l.Owner}}).URL()
	case domain.SubjectGroup:
		return h.o.Addresses.Group(&domain.Group{Slug: l.Slug}).URL()
	}
	return h.o.Addresses.User(&domain.User{Slug: l.Slug}).URL()
}

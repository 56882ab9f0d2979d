package feeds

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/domain"
)

// A sitemap has the pages of perFile ids, which is at most as many pages, so which file a
// page is in never changes and nothing needs to be counted; they are read a stretch at a
// time. The protocol allows 50,000; fewer are known by their tag, and cost less at once.
const (
	perFile    = 10_000
	perStretch = 1_000
)

// listedKinds are the kinds of pages that sitemaps have, as their files are called. Blocks
// are left out: most are pictures and links without words of their own, and the channels
// that they are in lead to them.
var listedKinds = []struct {
	name string
	kind domain.SubjectType
}{{"channels", domain.SubjectChannel}, {"users", domain.SubjectUser}, {"groups", domain.SubjectGroup}}

const (
	sitemapXMLNS   = "http://www.sitemaps.org/schemas/sitemap/0.9"
	sitemapsPrefix = "/sitemaps/"
)

// sitemapIndex lists the sitemaps.
func (d *Door) sitemapIndex(w http.ResponseWriter, r *http.Request) error {
	channels, users, groups, err := d.o.App.LastIDs(r.Context())
	if err != nil {
		return err
	}
	last := map[domain.SubjectType]int64{domain.SubjectChannel: channels, domain.SubjectUser: users, domain.SubjectGroup: groups}
	var body bytes.Buffer
	body.WriteString(xml.Header + `<sitemapindex xmlns="` + sitemapXMLNS + `">` + "\n")
	for _, k := range listedKinds {
		for n := range (last[k.kind] + perFile - 1) / perFile {
			body.WriteString("<sitemap><loc>" + d.o.Addresses.Site + sitemapsPrefix + k.name + "-" + itoa(n+1) + ".xml</loc></sitemap>\n")
		}
	}
	body.WriteString("</sitemapindex>\n")
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // the client has gone; nothing to do
	return nil
}

// sitemap gives what answers a sitemap by its name, nil if there is none of that name.
func (d *Door) sitemap(name string) answer {
	name, ok := strings.CutSuffix(name, ".xml")
	kind, number, cut := strings.Cut(name, "-")
	n, _, valid := domain.IsID(number)
	if !ok || !cut || !valid || n > 1<<40 || itoa(n) != number {
		return nil
	}
	for _, k := range listedKinds {
		if k.name == kind {
			return func(w http.ResponseWriter, r *http.Request) error { return d.writeSitemap(w, r, k.kind, n) }
		}
	}
	return nil
}

func (d *Door) writeSitemap(w http.ResponseWriter, r *http.Request, kind domain.SubjectType, n int64) error {
	var body bytes.Buffer
	body.WriteString(xml.Header + `<urlset xmlns="` + sitemapXMLNS + `">` + "\n")
	in := domain.ListingRange{After: (n - 1) * perFile, Upto: n * perFile, Limit: perStretch}
	for more := true; more; {
		all, err := d.o.App.Listings(r.Context(), kind, d.o.App.Exposure.IndexClosed, in)
		if err != nil {
			return err
		}
		for _, l := range all {
			in.After = l.ID
			body.WriteString("<url><loc>" + d.listedURL(kind, l) + "</loc><lastmod>" + l.UpdatedAt.UTC().Format(time.RFC3339) + "</lastmod></url>\n")
		}
		more = len(all) == in.Limit
	}
	body.WriteString("</urlset>\n")
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // the client has gone; nothing to do
	return nil
}

// listedURL is the address of a page. Slugs have nothing in them that XML would escape.
func (d *Door) listedURL(kind domain.SubjectType, l domain.Listing) string {
	switch kind {
	case domain.SubjectChannel:
		return d.o.Addresses.Channel(&domain.Channel{Slug: l.Slug, Owner: domain.Principal{Slug: l.Owner}}).URL()
	case domain.SubjectGroup:
		return d.o.Addresses.Group(&domain.Group{Slug: l.Slug}).URL()
	}
	return d.o.Addresses.User(&domain.User{Slug: l.Slug}).URL()
}

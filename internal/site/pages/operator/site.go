package operator

import (
	"strconv"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// sitePath is the path of the site's settings.
const sitePath = "/operator/site"

// siteView contains the site's settings and previews of edited texts.
type siteView struct {
	domain.Site
	Image      present.Image
	Preview    *domain.Text // of the welcome text, nil for none
	Announcing *domain.Text // preview of the announcement
	AtMost     int          // channels on the start page
	Shown      bool         // the announcement has not ended
	Severities []domain.Severity
}

// sitePage shows the forms for name, texts, picture and announcement.
func sitePage(v *web.Visit) error { return showSite(v, nil, siteView{}) }

// showSite shows the posted values, or else the stored ones. The forms contain the version that
// they were rendered from.
func showSite(v *web.Visit, f *web.Form, shown siteView) error {
	s, err := v.App().Operating.SiteSettings(v.R.Context())
	if err != nil {
		return err
	}
	shown.Site, shown.AtMost, shown.Severities = s, domain.MaxFeatured, domain.Severities
	shown.Shown = s.Announcing(v.Now()) != nil
	if s.Picture != nil {
		shown.Image = v.Addresses().Image(s.Picture)
	}
	if f == nil {
		f = web.Filled("name", s.Name, "about", markdown(s.About), "announcement", markdown(s.Announcement),
			"severity", string(s.Severity), "until", fieldTime(s.AnnouncedUntil))
	}
	featured, err := v.App().Collections.FeaturedChannels(v.R.Context(), v.Actor(), s.Featured)
	if err != nil {
		return err
	}
	lines := make([]string, len(featured))
	for i := range featured {
		lines[i] = v.Addresses().Channel(&featured[i]).URL()
	}
	f.Default("featured", strings.Join(lines, "\n"))
	return v.Page("site", v.T("operator.title.site"), f, shown)
}

func markdown(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return t.Markdown
}

// changeSite saves one of the forms or shows a preview.
func changeSite(v *web.Visit) error {
	f, picture, err := v.FormWithFile("picture")
	if err != nil {
		return err
	}
	if f.Failed() {
		return showSite(v, refill(v, f), siteView{})
	}
	seen, _ := strconv.ParseInt(f.Get("seen"), 10, 64)
	if do := f.Get("do"); do == "announce" || do == "announce-preview" || do == "unannounce" {
		return announce(v, f, seen)
	}
	in := operating.SiteInput{Seen: seen}
	name, about := f.Trimmed("name"), f.Get("about")
	switch f.Get("do") {
	case "save", "preview":
		in.Name, in.About = &name, core.Patch{Set: true, Value: &about}
	case "picture":
		if picture == "" {
			f.Wrong("picture", v.T("operator.site.choose"))
			return showSite(v, refill(v, f), siteView{})
		}
		in.Picture = core.Patch{Set: true, Value: &picture}
	case "no-picture":
		in.Picture = core.Patch{Set: true}
	case "feature":
		slugs := channelSlugs(f.Get("featured"), v.Addresses().Site)
		in.Featured = &slugs
	default:
		return web.UnknownButton()
	}
	if err := in.Validate(); err != nil {
		return refuseSite(v, err, f)
	}
	if f.Get("do") == "preview" {
		return showSite(v, refill(v, f), siteView{Preview: core.Rendered(&about)})
	}
	if _, err := v.App().Operating.UpdateSite(v.R.Context(), v.Actor(), in); err != nil {
		return refuseSite(v, err, f)
	}
	return v.Done(sitePath, "site")
}

// announce makes, previews or removes the announcement.
func announce(v *web.Visit, f *web.Form, seen int64) (err error) {
	if f.Get("do") == "unannounce" {
		if _, err := v.App().Operating.EndAnnouncement(v.R.Context(), operatorOf(v), seen); err != nil {
			return refuseSite(v, err, f)
		}
		return v.Done(sitePath, "site")
	}
	in := operating.AnnouncementInput{Text: f.Trimmed("announcement"), Severity: domain.Severity(f.Get("severity")), Until: until(f), Seen: seen}
	if err := in.Validate(); err != nil || f.Failed() {
		f.Refused(err, "announcement", "severity")
		return showSite(v, refill(v, f), siteView{})
	}
	if f.Get("do") == "announce-preview" {
		return showSite(v, refill(v, f), siteView{Announcing: core.Rendered(&in.Text)})
	}
	if _, err := v.App().Operating.Announce(v.R.Context(), operatorOf(v), in); err != nil {
		return refuseSite(v, err, f)
	}
	return v.Done(sitePath, "site")
}

func refuseSite(v *web.Visit, err error, f *web.Form) error {
	if f.Refused(err, "name", "about", "picture", "announcement", "severity", "until", "featured") {
		return showSite(v, refill(v, f), siteView{})
	}
	return err
}

// channelSlugs returns the slugs of channels in lines with their addresses or paths. Addresses of other sites remain whole,
// so that no channel is found for them.
func channelSlugs(lines, site string) []string {
	slugs := []string{}
	for line := range strings.FieldsSeq(lines) {
		path, _, _ := strings.Cut(strings.TrimPrefix(line, site+"/"), "?")
		if path, _, _ = strings.Cut(path, "#"); strings.Contains(path, "://") {
			slugs = append(slugs, line)
			continue
		}
		path = strings.Trim(path, "/")
		slugs = append(slugs, path[strings.LastIndex(path, "/")+1:])
	}
	return slugs
}

// refill sets the fields of the page's other forms to the stored values.
func refill(v *web.Visit, f *web.Form) *web.Form {
	s := v.Site()
	f.Default("name", s.Name)
	f.Default("about", markdown(s.About))
	f.Default("announcement", markdown(s.Announcement))
	f.Default("severity", string(s.Severity))
	f.Default("until", fieldTime(s.AnnouncedUntil))
	return f
}

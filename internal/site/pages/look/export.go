package look

import (
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// exportOptions lists the export formats of a channel.
type exportOptions struct {
	Channel present.Channel
	Formats []string
	Catalog string // address of the catalog for e-readers
}

// exportPage lists the export formats of a channel.
func exportPage(v *web.Visit) error {
	c, moved, err := findChannel(v, v.Actor())
	if moved || err != nil {
		return err
	}
	shown := exportOptions{Channel: v.Addresses().Channel(&c.Channel), Formats: web.ExportFormats()}
	shown.Formats = slices.DeleteFunc(shown.Formats, func(f string) bool { return f == "opds" }) // not a file to save
	if c.Visibility != domain.Private && v.App().Exposure.Admits(domain.Actor{}) == nil {
		shown.Catalog = shown.Channel.ExportURL("opds")
	} else if shown.Catalog, err = secretFeed(v, func(s present.SecretFeeds) string { return s.Export(&c.Channel, "opds") }); err != nil {
		return err
	}
	if v.Fresh(pageTags.Channel(v.Actor(), c.Channel, nil), shown.Catalog) {
		return nil
	}
	return v.Page("export", v.T("look.export.of", c.Title), nil, shown)
}

// exportChannel answers with a channel in a format.
func exportChannel(v *web.Visit) error {
	if !slices.Contains(web.ExportFormats(), v.Args[2]) {
		return domain.NewNotFound()
	}
	c, moved, err := findChannel(v, v.Actor())
	if moved || err != nil {
		return err
	}
	return v.ExportChannel(c.ID, v.Args[2])
}

// exportArticles answers with a book of a channel's articles, or of the texts of some of its connections.
func exportArticles(v *web.Visit) error {
	c, moved, err := findChannel(v, v.Actor())
	if moved || err != nil {
		return err
	}
	chosen := v.R.URL.Query()["connection"]
	if len(chosen) == 0 {
		return v.ExportArticles(c.ID)
	}
	var ids []domain.ConnectionID
	for _, value := range chosen {
		id, err := web.ID(value)
		if err != nil {
			return err
		}
		ids = append(ids, domain.ConnectionID(id))
	}
	return v.ExportSelected(c.ID, ids)
}

// exportCopies answers with the saved copies of the pages in a channel.
func exportCopies(v *web.Visit) error {
	c, moved, err := findChannel(v, v.Actor())
	if moved || err != nil {
		return err
	}
	return v.ExportCopies(c.ID)
}

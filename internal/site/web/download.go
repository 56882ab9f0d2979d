package web

import (
	"io"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
)

// ExportChannel answers with a channel in a format, as the visitor sees it.
func (v *Visit) ExportChannel(id domain.ChannelID, format string) error {
	ctx := v.R.Context()
	return httpedge.Stream(ctx, v.W, func(begin func(filename, contentType string) io.Writer) error {
		return v.s.o.Exports.Channel(ctx, v.Actor(), domain.Ref{ID: int64(id)}, exporting.Format(format), nil, begin)
	})
}

// ExportArticles answers with a book of the articles of a channel, as the visitor sees it.
func (v *Visit) ExportArticles(id domain.ChannelID) error {
	return v.Download(func(begin func(filename, contentType string) io.Writer) error {
		return v.s.o.Exports.Articles(v.R.Context(), v.Actor(), domain.Ref{ID: int64(id)}, begin)
	})
}

// ExportSelected answers with a book of the texts of some connections of a channel, as the visitor sees them.
func (v *Visit) ExportSelected(id domain.ChannelID, ids []domain.ConnectionID) error {
	return v.Download(func(begin func(filename, contentType string) io.Writer) error {
		return v.s.o.Exports.SelectedArticles(v.R.Context(), v.Actor(), domain.Ref{ID: int64(id)}, ids, begin)
	})
}

// ExportCopies answers with the saved copies of the pages in a channel, as the visitor sees them.
func (v *Visit) ExportCopies(id domain.ChannelID) error {
	return v.Download(func(begin func(filename, contentType string) io.Writer) error {
		return v.s.o.Exports.Copies(v.R.Context(), v.Actor(), domain.Ref{ID: int64(id)}, begin)
	})
}

// ExportArticle answers with the text of a block as a book, as the visitor sees it.
func (v *Visit) ExportArticle(id domain.BlockID) error {
	return v.Download(func(begin func(filename, contentType string) io.Writer) error {
		return v.s.o.Exports.Article(v.R.Context(), v.Actor(), id, begin)
	})
}

// Download answers with a file that is created while it is sent; see httpedge.Stream.
func (v *Visit) Download(write func(begin func(filename, contentType string) io.Writer) error) error {
	return httpedge.Stream(v.R.Context(), v.W, write)
}

// ExportFormats returns the names of channel export formats in addresses.
func ExportFormats() (names []string) {
	for _, f := range exporting.Formats() {
		names = append(names, string(f))
	}
	return names
}

// DownloadExport answers with the file of the visitor's export.
func (v *Visit) DownloadExport(id domain.ExportID) error {
	e, f, err := v.App().Transfer.OpenExport(v.R.Context(), v.Actor(), id)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	httpedge.ServeExport(v.W, v.R, v.Addresses().Export(&e), f, v.s.Render)
	return nil
}

// ShowFile answers with a file that the visitor may see, or with a version of it. The response is
// not cached.
func (v *Visit) ShowFile(f domain.File, name string) error {
	opened, err := v.App().Content.OpenFile(v.R.Context(), f, name)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Content.Close() }()
	header := v.W.Header()
	header.Set("Cache-Control", "no-store")
	httpedge.DescribeFile(header, opened)
	httpedge.ServeContent(v.W, v.R, opened.Content, v.s.Render)
	return nil
}

// Outline returns the pages of a document that the visitor may see.
func (v *Visit) Outline(f domain.File) (content.Outline, error) {
	return v.App().Content.Outline(v.R.Context(), middleware.GuestKey(v.Visitor().Address), f)
}

// ShowSnapshot answers with a saved copy that the visitor may see. Its policy lets a page run no script, send no form,
// contain no frame, and request nothing.
func (v *Visit) ShowSnapshot(s domain.Snapshot) error {
	f, err := v.App().Content.OpenSnapshot(v.R.Context(), s)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	header := v.W.Header()
	header.Set("Content-Type", s.ContentType)
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; media-src data:; "+
		"form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Cache-Control", "no-store")
	if s.Kind == domain.SnapshotPDF {
		header.Set("Content-Disposition", "attachment; filename=page.pdf")
	}
	httpedge.ServeContent(v.W, v.R, f, v.s.Render)
	return nil
}

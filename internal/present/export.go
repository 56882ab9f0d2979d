package present

import (
	"strconv"
	"time"

	"vitrine/internal/domain"
)

// Export is a view of an export.
type Export struct {
	*domain.Export
	at *Addresses
}

// Export returns a view of an export.
func (a *Addresses) Export(e *domain.Export) Export { return Export{e, a} }

// Path returns the path of the export's file on the website.
func (e Export) Path() string {
	return "/settings/export/" + strconv.FormatInt(int64(e.ID), 10) + "/file"
}

// URL returns the address of the page that lists exports.
func (e Export) URL() string { return e.at.Site + "/settings/export" }

// FileURL returns the address of the file in the API, "" until it is done.
func (e Export) FileURL() string {
	if e.State != domain.ExportDone {
		return ""
	}
	return e.at.API + e.self() + "/file"
}

// Filename returns the name under which the file is saved.
func (e Export) Filename() string {
	return "vitrine-" + e.CreatedAt.UTC().Format(time.DateOnly) + ".zip"
}

// Part returns how much of Whole is done, for a meter.
func (e Export) Part() int64 {
	if e.State == domain.ExportDone {
		return e.Whole()
	}
	return min(e.Counts.Done, e.Whole())
}

// Whole returns how much there is to do, at least 1.
func (e Export) Whole() int64 { return max(e.Counts.Expected, 1) }

// Links returns the export's relations: self.
func (e Export) Links() []Rel { return []Rel{{"self", e.self()}} }

func (e Export) self() string { return "/ext/v1/exports/" + strconv.FormatInt(int64(e.ID), 10) }

// Tag returns a tag that identifies the export's file.
func (e Export) Tag() string {
	return "export-" + strconv.FormatInt(int64(e.ID), 10) + "-" + strconv.FormatInt(e.Attempts, 10) + "-" + strconv.FormatInt(e.Size, 10)
}

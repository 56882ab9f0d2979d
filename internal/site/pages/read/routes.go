// Package read contains the pages for reading texts of blocks, and for the passages that readers highlight in them.
package read

import (
	"embed"
	"io/fs"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

//go:embed all:templates
var templates embed.FS

// PageSet returns the package's pages.
func PageSet() web.PageSet {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		panic(err) // embedded files
	}
	note := web.Fields{"note": {MaxLength: domain.MaxNote}, "was_note": {MaxLength: domain.MaxNote}}
	return web.PageSet{Name: "read", Templates: files, Lagging: true,
		Routes: []web.Route{
			{Path: "/block/{id}/read", Get: readPage},
			{Path: "/block/{id}/article.epub", Get: downloadArticle, Download: true},
			{Path: "/block/{id}/read/place", Access: web.Users, Post: keepPlace},
			{Path: "/block/{id}/highlights", Access: web.Users, Post: highlight, Fields: web.Fields{"exact": {MaxLength: domain.MaxQuote}, "note": {MaxLength: domain.MaxNote}}},
			{Path: "/settings/highlights", Access: web.Users, Get: highlightsPage},
			{Path: "/settings/highlights/{id}", Access: web.Users, Get: highlightPage, Post: changeHighlight, Fields: note},
		}}
}

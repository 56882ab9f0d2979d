// Package transfer contains the pages for imports and exports.
package transfer

import (
	"embed"
	"io/fs"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

//go:embed all:templates
var templates embed.FS

// longestNumber is the maximum number of digits of a channel's number in an import's list.
const longestNumber = 10

// PageSet returns the package's pages. Its entries are in the menu of the settings.
func PageSet() web.PageSet {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		panic(err) // embedded files
	}
	return web.PageSet{Name: "transfer", Templates: files, Routes: []web.Route{
		{Path: "/settings/import", Access: web.Users, Get: importsPage, Post: startImport, Files: true, Fields: web.Fields{"what": {MaxLength: domain.MaxImportWhat * (domain.MaxImportName + 1)}, "token": {MaxLength: domain.MaxImportToken}}},
		{Path: "/settings/export", Access: web.Users, Get: exportsPage, Post: changeExports},
		{Path: "/settings/export/{id}/file", Access: web.Users, Get: exportFile, Download: true},
		{Path: "/settings/import/{id}", Access: web.Users, Get: importPage, Post: changeImport, Fields: web.Fields{"channel": {MaxLength: longestNumber, Times: domain.MaxImportChannels}}},
	}}
}

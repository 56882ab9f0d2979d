// Package transfer is the pages by which collections come in from elsewhere and go out again.
package transfer

import (
	"embed"
	"io/fs"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

//go:embed all:templates
var templates embed.FS

// longestNumber is how many digits the number of a channel in the list of an import has at most.
const longestNumber = 10

// Room is these pages. Their entries stand in the menu of the settings.
func Room() web.Room {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		panic(err) // they are part of the program
	}
	return web.Room{Name: "transfer", Templates: files, Routes: []web.Route{
		{Path: "/settings/import", Access: web.Users, Get: importsPage, Post: startImport, Files: true, Fields: web.Fields{"what": {Most: domain.MaxImportWhat * (domain.MaxImportName + 1)}, "token": {Most: domain.MaxImportToken}}},
		{Path: "/settings/export", Access: web.Users, Get: exportsPage, Post: changeExports},
		{Path: "/settings/export/{id}/file", Access: web.Users, Get: exportFile, Download: true},
		{Path: "/settings/import/{id}", Access: web.Users, Get: importPage, Post: changeImport, Fields: web.Fields{"channel": {Most: longestNumber, Times: domain.MaxImportChannels}}},
	}}
}

// Package look contains the pages for reading: home, explore, search, channels, blocks, people and
// groups.
package look

import (
	"embed"
	"io/fs"
	"slices"

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
	return web.PageSet{Name: "look", Templates: files, Lagging: true,
		Routes: slices.Concat(homeRoutes, channelRoutes, blockRoutes)}
}

// homeRoutes are the pages of lists, people and groups.
var homeRoutes = []web.Route{
	{Path: "/", Open: true, Get: home},
	{Path: "/explore", Get: explore},
	{Path: "/search", Get: searchPage},
	{Path: "/search/suggest", Get: suggestResults},
	{Path: "/search/tags", Access: web.Users, Get: suggestTags},
	{Path: "/search/duplicates", Access: web.Users, Get: duplicatesPage},
	{Path: "/search/duplicates/merge", Access: web.Users, Get: mergePage, Post: merge},
	{Path: "/{user}", Get: profile},
	{Path: "/group/{slug}", Get: group},
	{Path: "/about/{slug}", Open: true, Get: about},
	{Path: "/channel/{id}/pin", Access: web.Users, Post: pin},
}

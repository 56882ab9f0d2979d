// Package collect contains the pages for collecting: creating channels, adding to them, connecting,
// arranging, editing, removing and deleting.
package collect

import (
	"embed"
	"io/fs"
	"maps"

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
	return web.PageSet{Name: "collect", Templates: files, Routes: []web.Route{
		{Path: "/new", Access: web.Users, Get: newChannelPage, Post: newChannel, Fields: web.Fields{"description": {MaxLength: domain.MaxDescription}}},
		{Path: "/save", Get: savePage, Post: save, Files: true, Fields: saveFields},
		{Path: "/save/share", Get: savePage, Post: shared, Files: true, Fields: sharedFields},
		{Path: "/save/twins", Access: web.Users, Post: twins, Fields: web.Fields{"value": {MaxLength: domain.MaxMarkdown}}},
		{Path: "/save/file", Access: web.Users, Post: presignFile},
		{Path: "/{owner}/{channel}/add", Access: web.Users, Get: addPage, Post: add, Files: true, Fields: web.Fields{"value": {MaxLength: domain.MaxMarkdown}, "description": {MaxLength: domain.MaxDescription}}},
		{Path: "/{owner}/{channel}/edit", Access: web.Users, Get: editChannelPage, Post: editChannel, Fields: withMetadata(withSeen(web.Fields{"tags": {MaxLength: domain.MaxMetadataValueLength}, "title": {MaxLength: domain.MaxTitle}, "description": {MaxLength: domain.MaxDescription}}))},
		{Path: "/{owner}/{channel}/arrange", Access: web.Users, Get: arrangePage, Post: arrange, Fields: web.Fields{"connection": {MaxLength: 20, Times: domain.MaxRemoved}, "position": {MaxLength: 20, Times: domain.MaxRemoved}}},
		{Path: "/{owner}/{channel}/sort", Access: web.Users, Get: sortPage, Post: sortOnce, Counted: true},
		{Path: "/{owner}/{channel}/subscriptions", Access: web.Users, Get: feedsPage, Post: changeFeeds, Files: true, Counted: true, Fields: web.Fields{"url": {MaxLength: domain.MaxURL}}},
		{Path: "/{owner}/{channel}/subscriptions/opml", Access: web.Users, Get: downloadFeeds, Download: true},
		{Path: "/{owner}/{channel}/history", Access: web.Users, Get: channelHistoryPage, Post: restoreChannel},
		{Path: "/settings/subscriptions", Access: web.Users, Get: ownFeedsPage},
		{Path: "/settings/subscriptions/opml", Access: web.Users, Get: downloadOwnFeeds, Download: true},
		{Path: "/channel/{id}/copy", Access: web.Users, Get: copyPage, Post: copyContents, Counted: true},
		{Path: "/channel/{id}/connect", Access: web.Users, Get: connectPage, Post: connect},
		{Path: "/channel/{id}/delete", Access: web.Users, Get: deleteChannelPage, Post: deleteChannel},
		{Path: "/block/{id}/edit", Access: web.Users, Get: editBlockPage, Post: editBlock, Fields: withMetadata(withSeen(web.Fields{"tags": {MaxLength: domain.MaxMetadataValueLength}, "title": {MaxLength: domain.MaxTitle}, "content": {MaxLength: domain.MaxMarkdown}, "description": {MaxLength: domain.MaxDescription}, "alt_text": {MaxLength: domain.MaxAltText}}))},
		{Path: "/settings/profile/history", Access: web.Users, Get: profileHistoryPage, Post: restoreProfile},
		{Path: "/group/{slug}/history", Access: web.Users, Get: groupHistoryPage, Post: restoreGroup},
		{Path: "/block/{id}/history", Access: web.Users, Get: blockHistoryPage, Post: restoreBlock},
		{Path: "/block/{id}/connect", Access: web.Users, Get: connectPage, Post: connect},
		{Path: "/block/{id}/delete", Access: web.Users, Get: deleteBlockPage, Post: deleteBlock},
		{Path: "/connection/{id}", Access: web.Users, Get: connectionPage, Post: changeConnection, Fields: withMetadata(web.Fields{})},
		{Path: "/connections/choices", Access: web.Users, Get: connectionChoices},
		{Path: "/connections/undo", Access: web.Users, Post: undo},
		{Path: "/connections/take-back", Access: web.Users, Post: takeBack, Fields: web.Fields{"connection": {MaxLength: 20, Times: domain.MaxRemoved}}},
	}}
}

// withSeen adds the fields of the texts that the user saw before changing them.
func withSeen(f web.Fields) web.Fields {
	all := maps.Clone(f)
	for name, field := range f {
		all[seenPrefix+name] = field
	}
	return all
}

// saveFields are the long fields of the form for saving. An upload is an address of this server.
var saveFields = web.Fields{"value": {MaxLength: domain.MaxMarkdown}, "description": {MaxLength: domain.MaxDescription},
	"upload": {MaxLength: 500, Times: maxFiles}}

// sharedFields are the long fields of what phones share, and of the form that shows it.
var sharedFields = web.Fields{"text": {MaxLength: domain.MaxMarkdown}, "value": {MaxLength: domain.MaxMarkdown},
	"description": {MaxLength: domain.MaxDescription}}

// withMetadata adds the fields of the metadata rows.
func withMetadata(f web.Fields) web.Fields {
	const rows = domain.MaxMetadataKeys + blankRows
	f["meta_key"], f["meta_was"] = web.Field{MaxLength: domain.MaxMetadataKeyLength, Times: rows}, web.Field{MaxLength: domain.MaxMetadataKeyLength, Times: rows}
	f["meta_value"] = web.Field{MaxLength: domain.MaxMetadataValueLength, Times: rows}
	return f
}

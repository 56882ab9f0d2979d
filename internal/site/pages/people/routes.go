// Package people contains the social pages: following, comments, the feed, notifications, groups
// and their members, collaborators, private feeds, saved searches.
package people

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
	return web.PageSet{Name: "people", Templates: files, Lagging: true,
		Routes: []web.Route{
			{Path: "/follow", Post: follow},
			{Path: "/feed", Access: web.Users, Get: feed},
			{Path: "/feed/changes", Waits: true, Get: streamChanges},
			{Path: "/notifications", Access: web.Users, Get: notifications, Post: readNotifications},
			{Path: "/notifications/{id}", Access: web.Users, Get: openNotification},
			{Path: "/block/{id}/comments", Get: commentsPage, Post: users(say), Fields: web.Fields{"body": {MaxLength: domain.MaxComment}}},
			{Path: "/block/{id}/comments/{comment}", Get: findComment},
			{Path: "/search/saved", Access: web.Users, Get: searchesPage, Post: saveSearch},
			{Path: "/search/saved/{id}", Access: web.Users, Get: searchPage, Post: changeSearch},
			{Path: "/unsubscribe/{token}", Open: true, Get: unsubscribePage, Post: unsubscribe},
			{Path: "/comments/mentions", Access: web.Users, Get: mentions},
			{Path: "/comments/{id}", Access: web.Users, Get: commentPage, Post: changeComment, Fields: web.Fields{"body": {MaxLength: domain.MaxComment}}},
			{Path: "/groups", Access: web.Users, Get: groups},
			{Path: "/groups/new", Access: web.Users, Get: newGroupPage, Post: newGroup, Files: true, Fields: web.Fields{"description": {MaxLength: domain.MaxDescription}}},
			{Path: "/group/{slug}/edit", Access: web.Users, Get: editGroupPage, Post: editGroup, Files: true, Fields: web.Fields{"description": {MaxLength: domain.MaxDescription}}},
			{Path: "/group/{slug}/delete", Access: web.Users, Get: deleteGroupPage, Post: deleteGroup},
			{Path: "/group/{slug}/members", Get: membersPage, Post: users(changeMembers)},
			{Path: "/{owner}/{channel}/collaborators", Get: collaboratorsPage, Post: users(changeCollaborators)},
			{Path: "/settings/feeds", Access: web.Users, Get: feedsPage, Post: renewFeeds},
		}}
}

// users lets guests sign in before they post a form of a page that they may read, and redirects
// them back to that page.
func users(handle web.Handler) web.Handler {
	return func(v *web.Visit) error {
		if v.Account == nil {
			return v.AskToSignIn()
		}
		return handle(v)
	}
}

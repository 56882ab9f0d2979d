// Package signon contains the pages of single sign-on: the redirects to and from the provider, the
// confirmation of an identity, and the settings.
package signon

import (
	"embed"
	"io/fs"

	"vitrine/internal/site/web"
)

//go:embed all:templates
var templates embed.FS

// CallbackPath is the redirect URI that must be registered with the provider.
const CallbackPath = "/sign-in/sso/callback"

const settingsPath = "/settings/single-sign-on"

// PageSet returns the package's pages. Its entry is in the menu of the settings.
func PageSet() web.PageSet {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		panic(err) // embedded files
	}
	return web.PageSet{Name: "signon", Templates: files, Routes: []web.Route{
		{Path: "/sign-in/sso", Open: true, Get: begin},
		{Path: CallbackPath, Open: true, Get: finish},
		{Path: "/sign-in/sso/confirm/{token}", Open: true, Get: confirmPage, Post: confirm},
		{Path: "/sign-in/sso/signed-out", Open: true, Get: signedOut},
		{Path: "/sign-in/sso/sign-out", Open: true, Get: signOutThere},
		{Path: "/sign-in/link/{token}", Open: true, Get: linkPage, Post: byLink},
		{Path: settingsPath, Access: web.Users, Confirm: true, Get: settingsPageOf, Post: disconnect},
	}}
}

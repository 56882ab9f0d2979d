// Package site is the website: rooms of pages in one frame, rendered on the server. Each
// page does what it does by links and forms; scripts make that easier.
package site

import (
	"vitrine/internal/site/pages/account"
	"vitrine/internal/site/pages/collect"
	"vitrine/internal/site/pages/look"
	"vitrine/internal/site/pages/moderation"
	"vitrine/internal/site/pages/operator"
	"vitrine/internal/site/pages/people"
	"vitrine/internal/site/pages/signon"
	"vitrine/internal/site/pages/transfer"
	"vitrine/internal/site/web"
)

// Rooms are all parts of the website.
func Rooms() []web.Room {
	return []web.Room{look.Room(), collect.Room(), account.Room(), signon.Room(), people.Room(), moderation.Room(), transfer.Room(), operator.Room()}
}

// New makes the website.
func New(o web.Options) *web.Site { return web.New(o, Rooms()...) }

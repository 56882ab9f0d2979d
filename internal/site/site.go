// Package site is the website: packages of pages in a common frame, rendered on the server. Every
// page works with links and forms only. Scripts make it more convenient.
package site

import (
	"vitrine/internal/site/pages/account"
	"vitrine/internal/site/pages/collect"
	"vitrine/internal/site/pages/look"
	"vitrine/internal/site/pages/moderation"
	"vitrine/internal/site/pages/operator"
	"vitrine/internal/site/pages/people"
	"vitrine/internal/site/pages/read"
	"vitrine/internal/site/pages/signon"
	"vitrine/internal/site/pages/transfer"
	"vitrine/internal/site/web"
)

// PageSets returns the packages of pages that make up the website.
func PageSets() []web.PageSet {
	return []web.PageSet{look.PageSet(), collect.PageSet(), account.PageSet(), signon.PageSet(), people.PageSet(), read.PageSet(), moderation.PageSet(), transfer.PageSet(), operator.PageSet()}
}

// New creates the website.
func New(o web.Options) *web.Site { return web.New(o, PageSets()...) }

// Package moderation contains the pages for reporting items, deciding about reports, and reading
// the decisions.
package moderation

import (
	"embed"
	"io/fs"

	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

//go:embed all:templates
var templates embed.FS

// PageSet returns the package's pages. Its entries are in the menus of operators and of the settings.
func PageSet() web.PageSet {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		panic(err) // embedded files
	}
	return web.PageSet{Name: "moderation", Templates: files, Routes: []web.Route{
		{Path: "/report/{kind}/{id}", Access: web.Users, Get: reportPage, Post: report, Fields: web.Fields{"text": {MaxLength: domain.MaxReportText}}},
		{Path: "/settings/notices", Access: web.Users, Get: noticesPage, Post: readNotices},
		{Path: "/operator/reports", Access: web.Operators, Get: casesPage, Post: mailCases},
		{Path: "/operator/blocklist", Access: web.Operators, Get: blocklistPage, Post: changeBlocklist},
		{Path: "/operator/hidden", Access: web.Operators, Get: hiddenPage, Post: showHidden},
		{Path: "/operator/hide/{kind}/{id}", Access: web.Operators, Get: hidePage, Post: hide, Fields: web.Fields{"text": {MaxLength: domain.MaxReportText}}},
		{Path: "/operator/look/{kind}/{id}", Access: web.Operators, Get: lookPage},
		{Path: "/operator/look/{kind}/{id}/picture", Access: web.Operators, Get: lookPicture},
		{Path: "/operator/look/{kind}/{id}/file", Access: web.Operators, Get: lookFile},
		{Path: "/operator/reports/{id}", Access: web.Operators, Get: casePage, Post: decide, Fields: web.Fields{"text": {MaxLength: domain.MaxReportText}}},
	}}
}

// operatorOf returns the acting operator.
func operatorOf(v *web.Visit) operating.Operator { return operating.OnSite(v.Actor(), v.Visitor()) }

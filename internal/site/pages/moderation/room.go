// Package moderation is the pages on which people report things, operators decide about reports,
// and those concerned read what was decided.
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

// Room is these pages. Their entries stand in the menus of operators and of the settings.
func Room() web.Room {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		panic(err) // they are part of the program
	}
	return web.Room{Name: "moderation", Templates: files, Routes: []web.Route{
		{Path: "/report/{kind}/{id}", Access: web.Users, Get: reportPage, Post: report, Fields: web.Fields{"text": {Most: domain.MaxReportText}}},
		{Path: "/settings/notices", Access: web.Users, Get: noticesPage, Post: readNotices},
		{Path: "/operator/reports", Access: web.Operators, Get: casesPage, Post: mailCases},
		{Path: "/operator/blocklist", Access: web.Operators, Get: blocklistPage, Post: changeBlocklist},
		{Path: "/operator/hidden", Access: web.Operators, Get: hiddenPage, Post: showHidden},
		{Path: "/operator/hide/{kind}/{id}", Access: web.Operators, Get: hidePage, Post: hide, Fields: web.Fields{"text": {Most: domain.MaxReportText}}},
		{Path: "/operator/look/{kind}/{id}", Access: web.Operators, Get: lookPage},
		{Path: "/operator/look/{kind}/{id}/picture", Access: web.Operators, Get: lookPicture},
		{Path: "/operator/look/{kind}/{id}/file", Access: web.Operators, Get: lookFile},
		{Path: "/operator/reports/{id}", Access: web.Operators, Get: casePage, Post: decide, Fields: web.Fields{"text": {Most: domain.MaxReportText}}},
	}}
}

// operatorOf is who acts on the pages of operators.
func operatorOf(v *web.Visit) operating.Operator { return operating.OnSite(v.Actor(), v.Visitor()) }

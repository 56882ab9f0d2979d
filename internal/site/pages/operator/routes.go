// Package operator contains the pages for operators of the server.
package operator

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
	return web.PageSet{Name: "operator", Templates: files,
		Sections: []web.Section{{Under: []string{"/operator"}, Links: []web.Link{
			{Path: "/operator", Text: "operator.section.server"},
			{Path: "/operator/site", Text: "operator.section.site"},
			{Path: "/operator/read-only", Text: "operator.section.read-only"},
			{Path: "/operator/pages", Text: "operator.section.pages"},
			{Path: "/operator/accounts", Text: "operator.section.accounts"},
			{Path: "/operator/invitations", Text: "operator.section.invitations"},
			{Path: "/operator/storage", Text: "operator.section.storage"},
			{Path: "/operator/sign-up", Text: "operator.section.sign-up"},
			{Path: "/operator/reports", Text: "moderation.reports"},
			{Path: "/operator/hidden", Text: "moderation.hidden"},
			{Path: "/operator/blocklist", Text: "moderation.blocklist"},
			{Path: "/operator/audit", Text: "operator.section.audit"},
			{Path: "/operator/receipts", Text: "operator.section.receipts"},
			{Path: "/operator/jobs", Text: "operator.section.jobs"},
			{Path: "/operator/doctor", Text: "operator.section.doctor"},
		}}},
		Routes: []web.Route{
			{Path: "/operator", Access: web.Operators, Get: operatorPage},
			{Path: "/operator/site", Access: web.Operators, Get: sitePage, Post: changeSite, Files: true, Fields: web.Fields{"about": {MaxLength: domain.MaxDescription}, "announcement": {MaxLength: domain.MaxAnnouncement},
				"featured": {MaxLength: domain.MaxFeatured * 500}}},
			{Path: modePath, Access: web.Operators, Get: modePage, Post: changeMode},
			{Path: "/operator/pages", Access: web.Operators, Get: legalPagesPage, Post: makeLegalPage, Fields: web.Fields{"body": {MaxLength: domain.MaxMarkdown}}},
			{Path: "/operator/pages/{slug}", Access: web.Operators, Get: legalPagePage, Post: changeLegalPage, Fields: web.Fields{"body": {MaxLength: domain.MaxMarkdown}}},
			{Path: "/operator/storage", Access: web.Operators, Get: storagePage},
			{Path: "/operator/accounts", Access: web.Operators, Get: accountsPage},
			{Path: "/operator/accounts/{slug}", Access: web.Operators, Get: accountPage, Post: changeAccount},
			{Path: "/operator/invitations", Access: web.Operators, Get: invitationsPage, Post: changeInvitations, Files: true, Fields: web.Fields{"emails": {MaxLength: invitedAtOnce * (domain.MaxEmail + 2)}}},
			{Path: "/operator/sign-up", Access: web.Operators, Get: signUpSettingsPage, Post: changeSignUp},
			{Path: "/operator/audit", Access: web.Operators, Get: auditPage},
			{Path: "/operator/audit/file", Access: web.Operators, Get: auditFile, Download: true},
			{Path: "/operator/receipts", Access: web.Operators, Get: receiptsPage},
			{Path: "/operator/jobs", Access: web.Operators, Get: jobsPage, Post: retryJobs},
			{Path: doctorPath, Access: web.Operators, Get: doctorPage, Post: examine},
		}}
}

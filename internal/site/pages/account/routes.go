// Package account contains the pages of accounts: signing up and in, settings, applications and
// their consent pages, invitations.
package account

import (
	"embed"
	"io/fs"

	"vitrine/internal/app"
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
	return web.PageSet{Name: "account", Templates: files,
		Sections: []web.Section{{Under: []string{"/settings", "/oauth/applications"}, Links: []web.Link{
			{Path: "/settings/profile", Text: "account.section.profile"},
			{Path: "/settings/email", Text: "account.section.email"},
			{Path: "/settings/password", Text: "account.section.password", If: hasLocal},
			{Path: "/settings/passkeys", Text: "account.section.passkeys", If: hasLocal},
			{Path: "/settings/single-sign-on", Text: "signon.section", If: func(a *app.App) bool { return a.SSO.ProviderName() != "" }},
			{Path: "/settings/sessions", Text: "account.section.sessions"},
			{Path: "/settings/storage", Text: "account.section.storage"},
			{Path: "/settings/links", Text: "account.section.links"},
			{Path: "/settings/trash", Text: "account.section.trash"},
			{Path: "/settings/import", Text: "transfer.import"},
			{Path: "/settings/export", Text: "transfer.export"},
			{Path: "/settings/notices", Text: "moderation.notices"},
			{Path: "/settings/highlights", Text: "read.highlights"},
			{Path: "/settings/feeds", Text: "people.feeds"},
			{Path: "/settings/subscriptions", Text: "collect.feeds.own"},
			{Path: "/settings/applications", Text: "account.section.grants"},
			{Path: "/settings/personal-access-tokens", Text: "account.section.tokens"},
			{Path: "/settings/webhooks", Text: "account.section.webhooks"},
			{Path: "/oauth/applications", Text: "account.section.applications"},
			{Path: "/settings/delete", Text: "account.section.delete"},
		}}},
		Routes: []web.Route{
			{Path: "/sign-up", Open: true, Get: signUpPage, Post: signUp},
			{Path: "/confirm/{token}", Open: true, Get: confirmPage, Post: confirm},
			{Path: "/sign-in", Open: true, Get: signInPage, Post: signIn},
			{Path: "/sign-in/second-factor", Open: true, Get: factorPage, Post: finishSignIn},
			{Path: "/sign-in/second-factor/options", Open: true, Get: factorOptions},
			{Path: "/sign-in/passkey", Open: true, Get: passkeyOptions, Post: signInByPasskey},
			{Path: "/sign-out", Open: true, Post: signOut},
			{Path: "/receipt/{code}", Open: true, Get: receiptPage},
			{Path: "/settings/language", Open: true, Post: web.ChooseLanguage},
			{Path: "/settings/announcement", Open: true, Post: web.PutAwayAnnouncement},
			{Path: "/forgot-password", Open: true, Get: forgotPage, Post: forgot},
			{Path: "/reset-password/{token}", Open: true, Get: resetPage, Post: reset},

			{Path: "/settings", Access: web.Users, Get: settings},
			{Path: "/settings/profile", Access: web.Users, Get: profilePage, Post: saveProfile, Files: true, Fields: web.Fields{"bio": {MaxLength: domain.MaxDescription}}},
			{Path: "/settings/confirm", Access: web.Users, Get: provePage, Post: prove, Fields: web.Fields{"passkey": {MaxLength: domain.MaxPasskeyAnswer}}},
			{Path: "/settings/confirm/options", Access: web.Users, Get: proofOptions},
			{Path: "/settings/confirm/{token}", Access: web.Users, Get: proofLinkPage, Post: proveByLink},
			{Path: "/settings/email", Access: web.Users, Confirm: true, Get: emailPage, Post: changeEmail},
			{Path: "/settings/email/{token}", Open: true, Get: confirmEmailPage, Post: confirmEmail},
			{Path: "/settings/password", Access: web.Users, Confirm: true, Get: passwordPage, Post: changePassword},
			{Path: "/settings/passkeys", Access: web.Users, Confirm: true, Get: passkeysPage, Post: beginPasskey},
			{Path: "/settings/passkeys/add", Access: web.Users, Get: toPasskeys, Post: addPasskey, Fields: web.Fields{"passkey": {MaxLength: domain.MaxPasskeyAnswer}}},
			{Path: "/settings/passkeys/{id}", Access: web.Users, Confirm: true, Get: passkeyPage, Post: removePasskey},
			{Path: "/settings/recovery-codes", Access: web.Users, Confirm: true, Get: codesPage, Post: makeCodes},
			{Path: "/settings/sessions", Access: web.Users, Get: sessionsPage, Post: endSession},
			{Path: "/settings/storage", Access: web.Users, Get: storagePage},
			{Path: "/settings/links", Access: web.Users, Get: linksPage, Post: checkLink},
			{Path: "/settings/trash", Access: web.Users, Get: trashPage, Post: changeTrash},
			{Path: "/settings/personal-access-tokens", Access: web.Users, Get: tokensPage, Post: changeTokens, Fields: web.Fields{"channels": {MaxLength: domain.MaxTokenChannels * 200}}},
			{Path: "/settings/webhooks", Access: web.Users, Get: webhooksPage, Post: createWebhook},
			{Path: "/settings/webhooks/{id}", Access: web.Users, Get: webhookPage, Post: changeWebhook},
			{Path: "/settings/applications", Access: web.Users, Get: grantsPage, Post: revokeGrant},
			{Path: "/settings/delete", Access: web.Users, Confirm: true, Get: deletePage, Post: deleteAccount},

			{Path: "/oauth/applications", Access: web.Users, Get: applicationsPage, Post: createApplication, Fields: web.Fields{"redirect_uris": {MaxLength: domain.MaxRedirectURIs * (domain.MaxRedirectURI + 1)}}},
			{Path: "/oauth/applications/{id}", Access: web.Users, Get: applicationPage, Post: changeApplication, Fields: web.Fields{"redirect_uris": {MaxLength: domain.MaxRedirectURIs * (domain.MaxRedirectURI + 1)}}},
			{Path: "/oauth/authorize", Open: true, Get: consentPage, Post: consent},

			{Path: "/invitations/{token}", Open: true, Get: invitationPage, Post: answerInvitation},
			{Path: "/group/{slug}/invite/{code}", Open: true, Get: groupInvitePage, Post: joinGroup},
		}}
}

// hasLocal reports whether users can sign in with a password or passkey of this server.
func hasLocal(a *app.App) bool { return !a.SSO.OnlySignOn() }

// settings redirects to the first page of the settings.
func settings(v *web.Visit) error { return v.Redirect("/settings/profile") }

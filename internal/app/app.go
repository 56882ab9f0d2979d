// Package app combines the use cases. Those of each topic are in a package below it. Each use case validates,
// authorises, and writes in a transaction. The acting user is a parameter.
package app

import (
	"context"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/changes"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/app/people"
	"vitrine/internal/app/reading"
	"vitrine/internal/app/searches"
	"vitrine/internal/app/transfer"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/domain"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// App contains all use cases, without transports.
type App struct {
	Content     *content.Content
	Collections *collections.Collections
	People      *people.People
	Finder      *collections.Finder
	Accounts    *accounts.Accounts
	Moderation  *moderation.Moderation
	Operating   *operating.Operating
	Reading     *reading.Reading
	Searches    *searches.Searches
	Transfer    *transfer.Transfer
	Changes     *changes.Changes
	Webhooks    *webhooks.Webhooks
	SSO         *accounts.SSO
	store       *store.Store

	// Exposure is what guests and search engines may see. The transports enforce it.
	Exposure domain.Exposure
}

// Options configures the service.
type Options struct {
	Store         *store.Store
	Now           func() time.Time // nil means time.Now
	SiteURL       string           // absolute, without a trailing slash
	BaseURL       string           // the same
	FilesURL      string           // the same
	Mailer        *mail.Mailer     // for jobs; nil if this process runs none
	InvitationTTL time.Duration    // the lifetime of an invitation; 0 means 14 days
	Files         content.Options
	Accounts      accounts.Options
	Exposure      domain.Exposure
	SSO           accounts.SignOnOptions
	Identify      transfer.Identify // reads the identity of a file to import; nil if no imports are started
	Webhooks      webhooks.Options
	Meaning       *collections.Meaning // nil if search by meaning is off
	AuditKept     time.Duration        // how long entries of the audit log are kept; 0 means forever
	Backups       bool                 // the servers make backups
	TrashKept     time.Duration        // how long deleted things can be restored; 0 means not at all
	Streams       int                  // how many requests may wait for changes at once
}

// New creates the service.
func New(o Options) *App {
	c := &core.Core{Store: o.Store, Now: o.Now, SiteURL: o.SiteURL, BaseURL: o.BaseURL, SignOnOnly: o.SSO.Only}
	if c.Now == nil {
		c.Now = time.Now
	}
	a := &App{store: o.Store, Exposure: o.Exposure}
	a.Content = content.New(c, o.FilesURL, o.Files)
	a.Collections = collections.New(c, a.Content, o.TrashKept)
	a.Finder = collections.NewFinder(c, o.Meaning)
	a.People = people.New(c, a.Content, o.Mailer, o.InvitationTTL)
	a.Accounts = accounts.New(accounts.NewSignIns(c, o.Mailer), a.Collections, a.People, o.Accounts)
	a.SSO = accounts.NewSSO(c, a.Accounts, a.People, o.SSO)
	a.Moderation = moderation.New(c, a.Accounts)
	a.Operating = operating.New(c, a.Content, a.Accounts, o.AuditKept, o.Backups)
	a.Reading = reading.New(c)
	a.Searches = searches.New(c, a.Finder, o.Mailer)
	a.Transfer = transfer.New(c, a.Content, a.Collections, o.Identify)
	a.Changes = changes.New(c, o.Streams)
	a.Webhooks = webhooks.New(c, o.Mailer, o.Webhooks)
	return a
}

// Ready reports whether requests can be served.
func (a *App) Ready(ctx context.Context) error { return a.store.Ready(ctx) }

// Check recomputes every derived value and returns the differences, at most `limit` of each kind. If repair is set, it
// repairs what it can and returns the remaining differences.
func (a *App) Check(ctx context.Context, limit int, repair bool, onProgress func(store.Checked)) ([]store.Difference, error) {
	if repair {
		return a.store.Repair(ctx, limit, onProgress)
	}
	return a.store.CheckWithProgress(ctx, limit, onProgress)
}

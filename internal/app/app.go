// Package app holds the use cases: authorise, validate, change in a transaction.
// The acting user is a parameter of each.
package app

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/mail"
	"vitrine/internal/markup"
	"vitrine/internal/store"
)

// App is the service without its edges.
type App struct {
	store         *store.Store
	now           func() time.Time
	siteURL       string
	mailer        *mail.Mailer
	invitationTTL time.Duration
	used          usage
	cursorKey     secret
}

// Options are what the service stands on.
type Options struct {
	Store         *store.Store
	Now           func() time.Time // the clock; nil means time.Now
	SiteURL       string           // absolute, without a slash at its end
	Mailer        *mail.Mailer     // for jobs; nil where none are worked
	InvitationTTL time.Duration    // how long an invitation is open; 0 means 14 days
}

// New makes the service.
func New(o Options) *App {
	a := &App{store: o.Store, now: o.Now, siteURL: o.SiteURL, mailer: o.Mailer, invitationTTL: o.InvitationTTL,
		used: usage{at: map[domain.TokenID]time.Time{}}}
	if a.now == nil {
		a.now = time.Now
	}
	if a.invitationTTL == 0 {
		a.invitationTTL = 14 * 24 * time.Hour
	}
	return a
}

// Ready tells whether requests can be served.
func (a *App) Ready(ctx context.Context) error { return a.store.Ready(ctx) }

// Check recomputes every derived value and gives the differences, at most `most` of
// each kind.
func (a *App) Check(ctx context.Context, most int) ([]store.Difference, error) {
	return a.store.Check(ctx, most)
}

// forbidden says that the actor sees a thing but may not do this with it.
func forbidden(what string) error { return domain.NewForbidden("You may not " + what) }

// rendered renders Markdown; nil and text that is empty give nil.
func rendered(markdown *string) *domain.Text {
	if markdown == nil || *markdown == "" {
		return nil
	}
	t := markup.Render(*markdown)
	return &domain.Text{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain}
}

// nonEmpty gives nil for a missing or empty string.
func nonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// title trims a title and refuses a blank one.
func title(field, s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", domain.NewInvalid(field + ": must not be blank")
	}
	return s, nil
}

// Patch is a field of an update: Set tells whether it was given, Value is nil for null.
type Patch struct {
	Set   bool
	Value *string
}

// Package core is the common base of all topics: the store, the clock and the site's URLs; shared rules, such as those
// for names, addresses and locks; limits of attempts; the audit log and events.
package core

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/store"
)

// Core is embedded in every topic.
type Core struct {
	Store   *store.Store
	Now     func() time.Time
	SiteURL string // absolute, without a trailing slash
	BaseURL string // absolute, without a trailing slash

	// SignOnOnly allows signing in only through the provider of single sign-on.
	SignOnOnly bool
}

// NoteTimeout limits recording the result of an attempt after the job's own time is up.
const NoteTimeout = 5 * time.Second

// Note runs a short transaction that records the result of an attempt, even if the time of its job or request is up.
func (a *Core) Note(ctx context.Context, write func(ctx context.Context, tx *store.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), NoteTimeout)
	defer cancel()
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return write(ctx, tx) })
}

// CheckLocal refuses passwords, passkeys and sign-up forms of this site if they are disabled.
func (a *Core) CheckLocal() error {
	if a.SignOnOnly {
		return domain.NewForbidden("Passwords and passkeys open nothing here: sign in by single sign-on")
	}
	return nil
}

// Forbidden returns the error for an actor who sees a thing but may not do something with it.
func Forbidden(what string) error { return domain.NewForbidden("You may not " + what) }

// Rendered renders Markdown. It returns nil for nil and for a text that renders to nothing.
func Rendered(markdown *string) *domain.Text {
	if markdown == nil || *markdown == "" {
		return nil
	}
	t := markup.Render(*markdown)
	return &domain.Text{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain}
}

// Literal renders a plain text unchanged. It returns nil for "".
func Literal(text string) *domain.Text { return Rendered(new(markup.Escape(text))) }

// NonEmpty returns nil for a missing or empty string.
func NonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// Replace sets a field only if the value differs, so that a struct compares equal to its copy if nothing changes.
func Replace[T comparable](field **T, value *T) {
	if *field == nil || value == nil || **field != *value {
		*field = value
	}
}

// Patch is a field of an update. Set reports whether it was given; Value is nil for null.
type Patch struct {
	Set   bool
	Value *string
}

// Package core is what the topics of the use cases stand on: the store, the clock and the
// addresses; rules that several topics share, such as names, addresses and locks; how often
// something may be tried; and what is recorded of what was done.
package core

import (
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/store"
)

// Core is the part of every topic.
type Core struct {
	Store   *store.Store
	Now     func() time.Time // the clock
	SiteURL string           // absolute, without a slash at its end
	BaseURL string           // the same

	// SignOnOnly says that people come in by the provider of single sign-on alone.
	SignOnOnly bool
}

// CheckLocal refuses the ways in that this site has itself, where they are off.
func (a *Core) CheckLocal() error {
	if a.SignOnOnly {
		return domain.NewForbidden("Passwords and passkeys open nothing here: sign in by single sign-on")
	}
	return nil
}

// Forbidden says that the actor sees a thing but may not do this with it.
func Forbidden(what string) error { return domain.NewForbidden("You may not " + what) }

// Rendered renders Markdown; nil and text that is empty give nil.
func Rendered(markdown *string) *domain.Text {
	if markdown == nil || *markdown == "" {
		return nil
	}
	t := markup.Render(*markdown)
	return &domain.Text{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain}
}

// Literal renders a plain text, which is shown as it is. It returns nil for "".
func Literal(text string) *domain.Text { return Rendered(new(markup.Escape(text))) }

// NonEmpty gives nil for a missing or empty string.
func NonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// Replace sets a field to a value that differs, so that what it belongs to stays equal
// to what it was where nothing changes.
func Replace[T comparable](field **T, value *T) {
	if *field == nil || value == nil || **field != *value {
		*field = value
	}
}

// Patch is a field of an update: Set reports whether it was given, Value is nil for null.
type Patch struct {
	Set   bool
	Value *string
}

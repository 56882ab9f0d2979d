// Package collections contains the use cases of channels, blocks, connections and comments.
package collections

import (
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
)

// Collections contains the use cases.
type Collections struct {
	*core.Core
	content *content.Content

	MailDomain string // of the mail addresses of channels, "" if the site receives no mails
}

// New creates the use cases.
func New(c *core.Core, content *content.Content) *Collections {
	return &Collections{Core: c, content: content}
}

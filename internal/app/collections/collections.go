// Package collections contains the use cases of channels, blocks, connections and comments.
package collections

import (
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
)

// Collections contains the use cases.
type Collections struct {
	*core.Core
	content   *content.Content
	trashKept time.Duration

	MailDomain string // of the mail addresses of channels, "" if the site receives no mails
}

// New creates the use cases. Deleted things can be restored for trashKept; 0 means not at all.
func New(c *core.Core, content *content.Content, trashKept time.Duration) *Collections {
	return &Collections{Core: c, content: content, trashKept: trashKept}
}

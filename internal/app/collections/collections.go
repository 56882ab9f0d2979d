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
}

// New creates the use cases. Deleted things can be restored for trashKept; 0 means not at all.
func New(c *core.Core, content *content.Content, trashKept time.Duration) *Collections {
	return &Collections{c, content, trashKept}
}

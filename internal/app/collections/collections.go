// Package collections has the use cases of channels, blocks, what connects them, and comments.
package collections

import (
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
)

// Collections are the use cases.
type Collections struct {
	*core.Core
	content *content.Content
}

// New makes the use cases.
func New(c *core.Core, content *content.Content) *Collections { return &Collections{c, content} }

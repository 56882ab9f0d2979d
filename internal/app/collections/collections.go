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
}

// New creates the use cases.
func New(c *core.Core, content *content.Content) *Collections { return &Collections{c, content} }

// Package search contains the use cases of searching, everywhere and in one place.
package search

import "vitrine/internal/app/core"

// Finder contains the use cases.
type Finder struct{ *core.Core }

// New creates the use cases.
func New(c *core.Core) *Finder { return &Finder{c} }

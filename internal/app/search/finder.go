// Package search has the use cases of finding things, everywhere and in one place.
package search

import "vitrine/internal/app/core"

// Finder are the use cases.
type Finder struct{ *core.Core }

// New makes the use cases.
func New(c *core.Core) *Finder { return &Finder{c} }

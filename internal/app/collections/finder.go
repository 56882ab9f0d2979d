package collections

import "vitrine/internal/app/core"

// Finder contains the use cases.
type Finder struct{ *core.Core }

// NewFinder creates the use cases.
func NewFinder(c *core.Core) *Finder { return &Finder{c} }

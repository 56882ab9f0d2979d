package collections

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Finder contains the use cases.
type Finder struct {
	*core.Core
	read reader
}

// reader reads the visible things among refs, in the same order.
type reader func(ctx context.Context, v *store.Snapshot, actor domain.Actor, refs []domain.Subject) ([]domain.Entity, error)

// NewFinder creates the use cases.
func NewFinder(c *core.Core) *Finder { return &Finder{c, core.ReadEntities} }

// Outlined returns a Finder whose lists have only the revisions of blocks, for callers that have cached most of them.
func (a *Finder) Outlined() *Finder {
	return &Finder{a.Core, func(ctx context.Context, v *store.Snapshot, actor domain.Actor, refs []domain.Subject) ([]domain.Entity, error) {
		return core.ReadOutlines(ctx, v, actor, actor, refs, false)
	}}
}

// Finished is Outlined without blocks whose content is pending or failed, unless they are the viewer's. The lists may be
// those of another actor. Their totals include the omitted blocks.
func (a *Finder) Finished(viewer domain.Actor) *Finder {
	return &Finder{a.Core, func(ctx context.Context, v *store.Snapshot, actor domain.Actor, refs []domain.Subject) ([]domain.Entity, error) {
		return core.ReadOutlines(ctx, v, actor, viewer, refs, true)
	}}
}

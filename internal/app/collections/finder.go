package collections

import (
	"context"
	"slices"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Finder contains the use cases.
type Finder struct {
	*core.Core
	Meaning  *Meaning // nil if search by meaning is off
	outlined bool
	viewer   *domain.Actor // if blocks are omitted whose content is pending or failed, unless they are this actor's
}

// NewFinder creates the use cases. Without a Meaning, it finds nothing by meaning.
func NewFinder(c *core.Core, m *Meaning) *Finder { return &Finder{Core: c, Meaning: m} }

// Outlined returns a Finder whose lists have only the revisions of blocks, for callers that have cached most of them.
func (a *Finder) Outlined() *Finder { return &Finder{a.Core, a.Meaning, true, a.viewer} }

// Finished returns a Finder whose lists omit blocks whose content is pending or failed, unless they are the viewer's. The
// lists may be those of another actor. Their totals include the omitted blocks.
func (a *Finder) Finished(viewer domain.Actor) *Finder {
	return &Finder{a.Core, a.Meaning, a.outlined, &viewer}
}

// read reads the visible things among refs, in the same order.
func (a *Finder) read(ctx context.Context, v *store.Snapshot, actor domain.Actor, refs []domain.Subject) ([]domain.Entity, error) {
	if a.outlined {
		return core.ReadOutlines(ctx, v, actor, a.viewer, refs)
	}
	all, err := core.ReadEntities(ctx, v, actor, refs)
	if a.viewer != nil {
		all = slices.DeleteFunc(all, func(t domain.Entity) bool {
			return t.Block != nil && t.Block.State != domain.Available && t.Block.Author.PrincipalRef != domain.UserRef(a.viewer.UserID)
		})
	}
	return all, err
}

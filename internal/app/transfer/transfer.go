// Package transfer has the use cases of moving: bringing in what was elsewhere, with where it
// comes from, so that bringing it in again makes nothing twice.
package transfer

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store/origins"
)

// Transfer are the use cases.
type Transfer struct {
	*core.Core
	content     *content.Content
	collections *collections.Collections
	identify    Identify
	importKey   core.Secret // by which tokens of elsewhere are sealed
}

// New creates the use cases. If identify is nil, files are not checked before their import starts.
func New(c *core.Core, files *content.Content, things *collections.Collections, identify Identify) *Transfer {
	return &Transfer{Core: c, content: files, collections: things, identify: identify}
}

// from is the place in the table of origins of what an actor brings in.
func from(actor domain.Actor, origin string) origins.Place {
	return origins.Place{User: actor.UserID, Origin: origin}
}

// mayBring refuses who may not write at all.
func mayBring(actor domain.Actor) error {
	if !actor.MayWrite() {
		return core.Forbidden("bring anything in")
	}
	return nil
}

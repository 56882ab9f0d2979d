// Package transfer contains the use cases of imports and exports. Imported things are stored with their origin, so that
// importing them again creates no duplicates.
package transfer

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store/transfer"
)

// Transfer contains the use cases.
type Transfer struct {
	*core.Core
	content     *content.Content
	collections *collections.Collections
	identify    Identify
	importKey   core.Secret // encrypts tokens of sources
}

// New creates the use cases. If identify is nil, files are not checked before their import starts.
func New(c *core.Core, files *content.Content, things *collections.Collections, identify Identify) *Transfer {
	return &Transfer{Core: c, content: files, collections: things, identify: identify}
}

// from returns the place of an actor's imports in the table of origins.
func from(actor domain.Actor, origin string) transfer.OriginPlace {
	return transfer.OriginPlace{User: actor.UserID, Origin: origin}
}

// mayImport refuses actors who may not write at all.
func mayImport(actor domain.Actor) error {
	if !actor.MayWrite() {
		return core.Forbidden("bring anything in")
	}
	return nil
}

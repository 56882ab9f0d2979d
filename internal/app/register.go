package app

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// tryRegister limits how often clients register themselves. There are no accounts to
// count by.
var tryRegister = attempt{what: "register", address: []limit{{20, time.Hour}, {100, day}}}

// RegisterApplication registers an application that nobody answers for, as RFC 7591 has
// it. Errors are Invalid, naming `name` and `redirect_uris`, TooMany, or NotFound where
// it is switched off.
func (a *App) RegisterApplication(ctx context.Context, from domain.Visitor, in ApplicationInput) (secret string, app domain.Application, err error) {
	if !a.accounts.Registration {
		return "", app, domain.NewNotFound()
	}
	if in, err = in.checked(); err != nil {
		return "", app, err
	}
	if _, err := a.try(ctx, tryRegister, "", from); err != nil {
		return "", app, err
	}
	secret, hash, app := newApplication(in)
	app.CreatedAt = a.now()
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		id, err := tx.CreateApplication(ctx, app, hash)
		if err == nil {
			app, err = tx.Application(ctx, id)
		}
		return err
	})
	return secret, app, err
}

package accounts

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// tryRegister limits how often clients register themselves. There are no accounts to
// count by.
var tryRegister = core.Attempt{What: "register", Address: []core.Limit{{Most: 20, Window: time.Hour}, {Most: 100, Window: core.Day}}}

// RegisterApplication registers an application that nobody answers for, as RFC 7591 has
// it. Errors are Invalid, naming `name` and `redirect_uris`, TooMany, or NotFound where
// it is switched off.
func (a *Accounts) RegisterApplication(ctx context.Context, from domain.Visitor, in ApplicationInput) (secret string, app domain.Application, err error) {
	if !a.accounts.Registration {
		return "", app, domain.NewNotFound()
	}
	if err := in.Validate(); err != nil {
		return "", app, err
	}
	if _, err := a.Try(ctx, tryRegister, "", from); err != nil {
		return "", app, err
	}
	secret, hash, app := newApplication(in.kept())
	app.CreatedAt = a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		id, err := tx.CreateApplication(ctx, app, hash)
		if err != nil {
			return err
		}
		if app, err = tx.Application(ctx, id); err != nil {
			return err
		}
		return a.Audit(ctx, tx, domain.Actor{}, domain.ActAppCreated, domain.AboutApplication(app), nil)
	})
	return secret, app, err
}

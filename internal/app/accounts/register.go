package accounts

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// tryRegister limits self-registration of clients. Only addresses can be counted, because there is no account.
var tryRegister = core.Attempt{What: "register", Address: []core.Limit{{Max: 20, Window: time.Hour}, {Max: 100, Window: core.Day}}}

// RegisterApplication registers an application without an owner (RFC 7591). Errors are Invalid with `name` and
// `redirect_uris`, TooMany, or NotFound if registration is disabled.
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
		id, err := tx.Account().CreateApplication(ctx, app, hash)
		if err != nil {
			return err
		}
		if app, err = tx.Account().Application(ctx, id); err != nil {
			return err
		}
		return a.Audit(ctx, tx, domain.Actor{}, domain.ActAppCreated, domain.AboutApplication(app), nil)
	})
	return secret, app, err
}

package accounts

import (
	"context"
	"fmt"
	"slices"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ApplicationInput is an application to create or change.
type ApplicationInput struct {
	Name         string
	RedirectURIs []string
	Public       bool // not changed by an update
	ForV2        bool // written for version 2: requests without a scope get write
	Expiring     bool // gets access tokens that expire, with refresh tokens
}

// Validate checks an application. Faults name `name` and `redirect_uris`.
func (in ApplicationInput) Validate() error {
	var f domain.Faults
	f.Name("name", domain.CleanName(in.Name))
	switch n := len(in.RedirectURIs); {
	case n == 0 && in.Public:
		f.Add("redirect_uris", domain.FieldRequired, "at least one is required of an application without a secret")
	case n > domain.MaxRedirectURIs:
		f.Add("redirect_uris", domain.FieldTooMany, fmt.Sprintf("must have at most %d addresses", domain.MaxRedirectURIs))
		return f.Err()
	}
	for i, uri := range in.RedirectURIs {
		path := fmt.Sprintf("redirect_uris[%d]", i)
		if why := domain.BadRedirectURI(uri); why != "" {
			code := domain.FieldMalformed
			if len(uri) > domain.MaxRedirectURI {
				code = domain.FieldTooLong
			}
			f.Add(path, code, why)
		}
		if slices.Contains(in.RedirectURIs[:i], uri) {
			f.Add(path, domain.FieldRepeated, "is there already")
		}
	}
	return f.Err()
}

// kept returns the input in the form in which it is stored.
func (in ApplicationInput) kept() ApplicationInput {
	in.Name, in.RedirectURIs = domain.CleanName(in.Name), append([]string{}, in.RedirectURIs...)
	return in
}

// CreateApplication registers an application of a user. The secret is not stored, and "" for a public application.
// Errors name `name` or `redirect_uris`.
func (a *Accounts) CreateApplication(ctx context.Context, actor domain.Actor, in ApplicationInput) (secret string, app domain.Application, err error) {
	return a.CreateApplicationOf(ctx, actor, actor.UserID, in)
}

// CreateApplicationOf is CreateApplication for an application of somebody else, whom the actor may act for.
func (a *Accounts) CreateApplicationOf(ctx context.Context, actor domain.Actor, owner domain.UserID, in ApplicationInput) (secret string, app domain.Application, err error) {
	if err := in.Validate(); err != nil {
		return "", app, err
	}
	secret, hash, app := newApplication(in.kept())
	app.UserID, app.CreatedAt = owner, a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Account().CountApplications(ctx, owner)
		if err != nil {
			return err
		}
		if n >= domain.MaxApplications {
			return domain.NewUnprocessable(fmt.Sprintf("An account can have at most %d applications", domain.MaxApplications))
		}
		id, err := tx.Account().CreateApplication(ctx, app, hash)
		if err != nil {
			return err
		}
		if app, err = tx.Account().Application(ctx, id); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActAppCreated, domain.AboutApplication(app), nil)
	})
	return secret, app, err
}

// newApplication generates the id of an application, and its secret unless it is public.
func newApplication(in ApplicationInput) (secret string, hash []byte, app domain.Application) {
	app = domain.Application{ClientID: auth.NewClientID(), Name: in.Name, RedirectURIs: in.RedirectURIs, Public: in.Public, ForV2: in.ForV2, Expiring: in.Expiring}
	if !in.Public {
		secret, hash, app.SecretHint = auth.NewToken(auth.Client)
	}
	return secret, hash, app
}

// Applications lists the applications that the actor registered, newest first.
func (a *Accounts) Applications(ctx context.Context, actor domain.Actor) ([]domain.Application, error) {
	return a.Store.Account().ApplicationsOf(ctx, actor.UserID)
}

// Application reads one of them. It returns NotFound if it belongs to somebody else.
func (a *Accounts) Application(ctx context.Context, actor domain.Actor, id domain.ApplicationID) (domain.Application, error) {
	return ownApplication(ctx, a.Store.Queries, actor, id)
}

func ownApplication(ctx context.Context, q store.Queries, actor domain.Actor, id domain.ApplicationID) (domain.Application, error) {
	app, err := q.Account().Application(ctx, id)
	if err == nil && (app.UserID != actor.UserID || !actor.SignedIn()) {
		return domain.Application{}, domain.NewNotFound()
	}
	return app, err
}

// UpdateApplication changes the name, the redirect addresses, ForV2 and Expiring. Issued tokens stay as they are.
func (a *Accounts) UpdateApplication(ctx context.Context, actor domain.Actor, id domain.ApplicationID, in ApplicationInput) (app domain.Application, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if app, err = ownApplication(ctx, tx.Queries, actor, id); err != nil {
			return err
		}
		in.Public = app.Public
		if err := in.Validate(); err != nil {
			return err
		}
		wanted := in.kept()
		app.Name, app.RedirectURIs, app.ForV2 = wanted.Name, wanted.RedirectURIs, wanted.ForV2
		app.Expiring = wanted.Expiring
		if err := tx.Account().UpdateApplication(ctx, app, a.Now()); err != nil {
			return err
		}
		if app, err = tx.Account().Application(ctx, id); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActAppChanged, domain.AboutApplication(app), nil)
	})
	return app, err
}

// RotateSecret replaces the secret of a confidential application. The old secret stops working at once.
func (a *Accounts) RotateSecret(ctx context.Context, actor domain.Actor, id domain.ApplicationID) (secret string, err error) {
	secret, hash, hint := auth.NewToken(auth.Client)
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		app, err := ownApplication(ctx, tx.Queries, actor, id)
		if err != nil {
			return err
		}
		if app.Public {
			return domain.NewUnprocessable("A public application has no secret")
		}
		if err := tx.Account().SetApplicationSecret(ctx, id, hash, hint, a.Now()); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActAppSecret, domain.AboutApplication(app), nil)
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// DeleteApplication deletes an application with its grants, codes and tokens.
func (a *Accounts) DeleteApplication(ctx context.Context, actor domain.Actor, id domain.ApplicationID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		app, err := ownApplication(ctx, tx.Queries, actor, id)
		if err != nil {
			return err
		}
		return a.deleteApplication(ctx, tx, actor, app)
	})
}

func (a *Accounts) deleteApplication(ctx context.Context, tx *store.Tx, actor domain.Actor, app domain.Application) error {
	if err := tx.Account().DeleteApplication(ctx, app.ID, a.Now()); err != nil {
		return err
	}
	return a.Audit(ctx, tx, actor, domain.ActAppDeleted, domain.AboutApplication(app), nil)
}

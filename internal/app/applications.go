package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ApplicationInput is an application to register or change.
type ApplicationInput struct {
	Name         string
	RedirectURIs []string
	Public       bool // not changed by an update
}

// checked gives the input as it is kept, or every violation, which name `name` and
// `redirect_uris`.
func (in ApplicationInput) checked() (ApplicationInput, error) {
	var bad faults
	in.Name = strings.TrimSpace(in.Name)
	if why := badName(in.Name); why != "" {
		bad = append(bad, "name: "+why)
	}
	switch n := len(in.RedirectURIs); {
	case n == 0 && in.Public:
		bad = append(bad, "redirect_uris: at least one is required of an application without a secret")
	case n > domain.MaxRedirectURIs:
		bad = append(bad, fmt.Sprintf("redirect_uris: must be at most %d", domain.MaxRedirectURIs))
		return in, bad.err()
	}
	for i, uri := range in.RedirectURIs {
		if why := domain.BadRedirectURI(uri); why != "" {
			bad = append(bad, fmt.Sprintf("redirect_uris[%d]: %s", i, why))
		}
		if slices.Contains(in.RedirectURIs[:i], uri) {
			bad = append(bad, fmt.Sprintf("redirect_uris[%d]: is there already", i))
		}
	}
	in.RedirectURIs = append([]string{}, in.RedirectURIs...)
	return in, bad.err()
}

// CreateApplication registers an application of a user. The secret is not kept; "" for a
// public one. Errors name `name` or `redirect_uris`.
func (a *App) CreateApplication(ctx context.Context, actor domain.Actor, in ApplicationInput) (secret string, app domain.Application, err error) {
	if in, err = in.checked(); err != nil {
		return "", app, err
	}
	secret, hash, app := newApplication(in)
	app.UserID, app.CreatedAt = actor.UserID, a.now()
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.CountApplications(ctx, actor.UserID)
		if err != nil {
			return err
		}
		if n >= domain.MaxApplications {
			return domain.NewUnprocessable(fmt.Sprintf("An account can have at most %d applications", domain.MaxApplications))
		}
		id, err := tx.CreateApplication(ctx, app, hash)
		if err == nil {
			app, err = tx.Application(ctx, id)
		}
		return err
	})
	return secret, app, err
}

// newApplication mints the id of an application, and its secret unless it is public.
func newApplication(in ApplicationInput) (secret string, hash []byte, app domain.Application) {
	app = domain.Application{ClientID: auth.NewClientID(), Name: in.Name, RedirectURIs: in.RedirectURIs, Public: in.Public}
	if !in.Public {
		secret, hash, app.SecretHint = auth.NewToken(auth.Client)
	}
	return secret, hash, app
}

// Applications lists the applications that the actor registered, newest first.
func (a *App) Applications(ctx context.Context, actor domain.Actor) ([]domain.Application, error) {
	return a.store.ApplicationsOf(ctx, actor.UserID)
}

// Application reads one of them; NotFound if it is not the actor's.
func (a *App) Application(ctx context.Context, actor domain.Actor, id domain.ApplicationID) (domain.Application, error) {
	return ownApplication(ctx, a.store.Queries, actor, id)
}

func ownApplication(ctx context.Context, q store.Queries, actor domain.Actor, id domain.ApplicationID) (domain.Application, error) {
	app, err := q.Application(ctx, id)
	if err == nil && (app.UserID != actor.UserID || !actor.SignedIn()) {
		return domain.Application{}, domain.NewNotFound()
	}
	return app, err
}

// UpdateApplication changes the name and redirect addresses.
func (a *App) UpdateApplication(ctx context.Context, actor domain.Actor, id domain.ApplicationID, in ApplicationInput) (app domain.Application, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if app, err = ownApplication(ctx, tx.Queries, actor, id); err != nil {
			return err
		}
		in.Public = app.Public
		wanted, err := in.checked()
		if err != nil {
			return err
		}
		app.Name, app.RedirectURIs = wanted.Name, wanted.RedirectURIs
		if err := tx.UpdateApplication(ctx, app, a.now()); err != nil {
			return err
		}
		app, err = tx.Application(ctx, id)
		return err
	})
	return app, err
}

// RotateSecret gives a confidential application a new secret; the old one ends at once.
func (a *App) RotateSecret(ctx context.Context, actor domain.Actor, id domain.ApplicationID) (secret string, err error) {
	secret, hash, hint := auth.NewToken(auth.Client)
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		app, err := ownApplication(ctx, tx.Queries, actor, id)
		if err != nil {
			return err
		}
		if app.Public {
			return domain.NewUnprocessable("A public application has no secret")
		}
		return tx.SetApplicationSecret(ctx, id, hash, hint, a.now())
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// DeleteApplication ends an application, and with it its grants, codes and tokens.
func (a *App) DeleteApplication(ctx context.Context, actor domain.Actor, id domain.ApplicationID) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := ownApplication(ctx, tx.Queries, actor, id); err != nil {
			return err
		}
		return tx.DeleteApplication(ctx, id, a.now())
	})
}

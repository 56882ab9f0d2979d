package accounts

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ClientCredentials are the claimed id and secret of a client. A public client has no secret.
type ClientCredentials struct{ ID, Secret string }

// errClient returns the same answer for every failed client authentication.
func errClient() error {
	return &OAuthError{Code: "invalid_client", Description: "The client is not known, or its secret is wrong"}
}

// client authenticates a client (RFC 6749 section 2.3). It counts failures instead of attempts, so that knowing a
// client's public id is not enough to lock the client out.
func (a *Accounts) client(ctx context.Context, from domain.Visitor, c ClientCredentials) (domain.Application, error) {
	app, err := a.application(ctx, c.ID)
	if err == nil {
		var hash []byte
		hash, err = a.Store.Account().ApplicationSecret(ctx, app.ID)
		if err == nil && !(app.Public && c.Secret == "") && !auth.SameSecret(c.Secret, hash) {
			err = domain.NewNotFound()
		}
	}
	if domain.KindOf(err) == domain.NotFound {
		return app, a.clientFailed(ctx, from, c.ID, errClient())
	}
	return app, err
}

// clientFailed counts a failure of a client and returns the error for the answer.
func (a *Accounts) clientFailed(ctx context.Context, from domain.Visitor, clientID string, err error) error {
	if _, over := a.Try(ctx, core.TrySecret, clientID, from); over != nil {
		return over
	}
	return err
}

// AllApplications lists live applications of all users by id, for the operator: at most limit after the given id.
func (a *Accounts) AllApplications(ctx context.Context, after domain.ApplicationID, limit int) ([]domain.Application, error) {
	return a.Store.Account().Applications(ctx, after, limit)
}

// EndApplication deletes any application by its client id, for the operator. The application of the command line is
// Forbidden. The browser extension loses its access, but people may sign in with it again unless the settings say otherwise.
func (a *Accounts) EndApplication(ctx context.Context, actor domain.Actor, clientID string) error {
	if clientID == domain.CommandLineClient {
		return core.Forbidden("delete the application of the command line")
	}
	app, err := a.stored(ctx, clientID)
	if err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.deleteApplication(ctx, tx, actor, app) })
}

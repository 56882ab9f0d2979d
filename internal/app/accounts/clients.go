package accounts

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ClientCredentials is who a client says to be. A public client has no secret.
type ClientCredentials struct{ ID, Secret string }

// errClient is the answer to a client that is not who it says, whatever is wrong.
func errClient() error {
	return &OAuthError{Code: "invalid_client", Description: "The client is not known, or its secret is wrong"}
}

// client authenticates a client (RFC 6749 section 2.3). Failures are counted, not
// attempts: nobody who knows a client's public id can lock the client out.
func (a *Accounts) client(ctx context.Context, from domain.Visitor, c ClientCredentials) (domain.Application, error) {
	app, err := a.application(ctx, c.ID)
	if err == nil {
		var hash []byte
		hash, err = a.Store.ApplicationSecret(ctx, app.ID)
		if err == nil && !(app.Public && c.Secret == "") && !auth.SameSecret(c.Secret, hash) {
			err = domain.NewNotFound()
		}
	}
	if domain.KindOf(err) == domain.NotFound {
		return app, a.clientFailed(ctx, from, c.ID, errClient())
	}
	return app, err
}

// clientFailed counts a failure of a client, and gives the error to answer with.
func (a *Accounts) clientFailed(ctx context.Context, from domain.Visitor, clientID string, err error) error {
	if _, over := a.Try(ctx, core.TrySecret, clientID, from); over != nil {
		return over
	}
	return err
}

// AllApplications lists live applications by id, after the given one, at most limit: all
// that there are, for who runs the server.
func (a *Accounts) AllApplications(ctx context.Context, after domain.ApplicationID, limit int) ([]domain.Application, error) {
	return a.Store.Applications(ctx, after, limit)
}

// EndApplication deletes an application by its client id, whoever registered it, for who
// runs the server. The command line's own is Forbidden.
func (a *Accounts) EndApplication(ctx context.Context, clientID string) error {
	if clientID == domain.CommandLineClient {
		return core.Forbidden("delete the application of the command line")
	}
	app, err := a.application(ctx, clientID)
	if err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.deleteApplication(ctx, tx, domain.Actor{}, app) })
}

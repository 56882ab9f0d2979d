package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/store"
)

// Limits of client ID metadata documents (draft-ietf-oauth-client-id-metadata-document).
const (
	maxDocument = 64 << 10  // bytes
	documentAge = time.Hour // after which a document is fetched again
)

// tryDocument limits the documents that one address makes the server fetch.
var tryDocument = core.Attempt{What: "client document", Address: []core.Limit{{Max: 30, Window: time.Hour}, {Max: 100, Window: core.Day}}}

// audience returns the part of the server that a resource names.
func (a *Accounts) audience(resource string) (domain.TokenAudience, *OAuthError) {
	switch strings.TrimSuffix(resource, "/") {
	case "", a.BaseURL, a.SiteURL:
		return domain.Everything, nil
	case a.BaseURL + domain.AssistantsPath:
		return domain.Assistants, nil
	}
	return "", &OAuthError{Code: "invalid_target", Description: "resource must be " + a.BaseURL + " or " + a.BaseURL + domain.AssistantsPath}
}

// IsClientDocument reports whether a client id is the address of a document that describes the client.
func IsClientDocument(clientID string) bool { return strings.HasPrefix(clientID, "https://") }

// clientDocument is what a client says about itself.
type clientDocument struct {
	ClientID      string          `json:"client_id"`
	Name          string          `json:"client_name"`
	RedirectURIs  []string        `json:"redirect_uris"`
	AuthMethod    string          `json:"token_endpoint_auth_method"`
	GrantTypes    []string        `json:"grant_types"`
	ResponseTypes []string        `json:"response_types"`
	Secret        json.RawMessage `json:"client_secret"`
}

// described returns the client whose id is the address of its document. The document is stored as an application, and
// fetched again after documentAge; then its redirect addresses replace the stored ones. Faults of the document are
// *OAuthError.
func (a *Accounts) described(ctx context.Context, from domain.Visitor, clientID string) (domain.Application, error) {
	if a.accounts.Fetcher == nil || !documentAddress(clientID) {
		return domain.Application{}, domain.NewNotFound()
	}
	app, err := a.stored(ctx, clientID)
	if err == nil && a.Now().Sub(app.UpdatedAt) < documentAge || err != nil && domain.KindOf(err) != domain.NotFound {
		return app, err
	}
	if _, err := a.Try(ctx, tryDocument, "", from); err != nil {
		return app, err
	}
	in, err := a.document(ctx, clientID)
	if err != nil {
		return app, err
	}
	return a.keepDescribed(ctx, clientID, in)
}

// documentAddress reports whether a client id may be the address of a document: it has a path without dot segments, and
// neither a fragment nor a user.
func documentAddress(clientID string) bool {
	u, err := url.Parse(clientID)
	return err == nil && len(clientID) <= domain.MaxClientID && !strings.ContainsFunc(clientID, notVisible) &&
		u.Host != "" && u.User == nil && strings.Trim(u.Path, "/") != "" && !strings.Contains(clientID, "#") &&
		!slices.ContainsFunc(strings.Split(u.Path, "/"), func(segment string) bool { return segment == "." || segment == ".." })
}

// document fetches and checks the document of a client. It follows no redirect, as the address is the client's identity.
func (a *Accounts) document(ctx context.Context, clientID string) (in ApplicationInput, err error) {
	bad := func(why string) (ApplicationInput, error) {
		return ApplicationInput{}, &OAuthError{Code: "invalid_client", Description: "The document at client_id " + why}
	}
	requested := false
	res, err := a.accounts.Fetcher.Get(ctx, fetch.Request{URL: clientID, Accept: "application/json", MaxBytes: maxDocument,
		Permit: func(context.Context, *url.URL) error {
			if requested {
				return errors.New("a redirect")
			}
			requested = true
			return nil
		}})
	if err != nil {
		if ctx.Err() != nil {
			return in, ctx.Err()
		}
		return bad("cannot be fetched")
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.Status != http.StatusOK {
		return bad("cannot be fetched")
	}
	var d clientDocument
	switch {
	case json.Unmarshal(text, &d) != nil:
		return bad("is not valid JSON")
	case d.ClientID != clientID:
		return bad("has another client_id")
	case d.Secret != nil || d.AuthMethod != "" && d.AuthMethod != "none":
		return bad("must have the token_endpoint_auth_method none, and no secret")
	case d.GrantTypes != nil && !slices.Contains(d.GrantTypes, "authorization_code"):
		return bad("must have the grant type authorization_code")
	case d.ResponseTypes != nil && !slices.Contains(d.ResponseTypes, "code"):
		return bad("must have the response type code")
	}
	u, err := url.Parse(clientID)
	if err != nil {
		return in, err
	}
	in = ApplicationInput{Name: documentName(d.Name, u.Host), RedirectURIs: d.RedirectURIs, Public: true,
		Expiring: slices.Contains(d.GrantTypes, "refresh_token")}
	if err := in.Validate(); err != nil {
		return bad("is not valid: " + err.Error())
	}
	return in, nil
}

// documentName returns the name of a client with its host, since anyone can choose any name.
func documentName(name, host string) string {
	name, host = domain.CleanName(name), " ("+host+")"
	if name == "" {
		name = "Application"
	}
	if runes := []rune(name); len(runes)+len(host) > domain.MaxTitle {
		name = string(runes[:max(0, domain.MaxTitle-len(host))])
	}
	return name + host
}

// keepDescribed stores a client as its document describes it.
func (a *Accounts) keepDescribed(ctx context.Context, clientID string, in ApplicationInput) (app domain.Application, err error) {
	in = in.kept()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		now := a.Now()
		created, err := tx.Account().RestoreApplication(ctx, domain.Application{ClientID: clientID, Name: in.Name, RedirectURIs: in.RedirectURIs, CreatedAt: now})
		if err != nil {
			return err
		}
		if app, err = tx.Account().ApplicationByClientID(ctx, clientID); err != nil {
			return err
		}
		same := app.Name == in.Name && slices.Equal(app.RedirectURIs, in.RedirectURIs) && app.Expiring == in.Expiring
		app.Name, app.RedirectURIs, app.Expiring, app.UpdatedAt = in.Name, in.RedirectURIs, in.Expiring, now
		if err := tx.Account().UpdateApplication(ctx, app, now); err != nil { // also notes that the document was fetched
			return err
		}
		switch {
		case created:
			return a.Audit(ctx, tx, domain.Actor{}, domain.ActAppCreated, domain.AboutApplication(app), nil)
		case same:
			return nil
		}
		return a.Audit(ctx, tx, domain.Actor{}, domain.ActAppChanged, domain.AboutApplication(app), nil)
	})
	return app, err
}

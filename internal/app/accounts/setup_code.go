package accounts

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// Setup protects the first account, whose owner becomes the operator. The zero value requires no code.
type Setup struct {
	Ask  Asking
	Code string // chosen by the operator; if "", all servers of the database share a derived code
	Done func() // called after the first account was created; may be nil
}

// Asking selects the visitors who need the setup code.
type Asking int

// Values of Asking.
const (
	AskNobody Asking = iota
	AskRemote        // visitors from other machines
	AskAll
)

// setupName is the name of the secret from which the code is derived.
const setupName = "setup code"

// SetupCode returns the code for the first account, or "" if none is required.
func (a *Accounts) SetupCode(ctx context.Context) (string, error) {
	if a.accounts.Setup.Ask == AskNobody {
		return "", nil
	}
	if first, err := a.Store.Account().NobodyYet(ctx); err != nil || !first {
		return "", err
	}
	if a.accounts.Setup.Code != "" {
		return a.accounts.Setup.Code, nil
	}
	key, err := a.Secret(ctx, &a.setupKey, setupName)
	if err != nil {
		return "", err
	}
	return writeCode(key), nil
}

// AsksForSetupCode reports whether a visitor needs the setup code to create the first account.
func (a *Accounts) AsksForSetupCode(from domain.Visitor) bool {
	return a.accounts.Setup.Ask == AskAll || a.accounts.Setup.Ask == AskRemote && !from.Local
}

// CheckSetupCode returns an error that names `setup_code` if a visitor needs the setup code and
// typed another one, and TooMany after too many attempts. Once an account was created, even if it
// has been deleted since, any code is accepted.
func (a *Accounts) CheckSetupCode(ctx context.Context, from domain.Visitor, typed string) error {
	if !a.AsksForSetupCode(from) {
		return nil
	}
	code, err := a.SetupCode(ctx)
	if err != nil || code == "" {
		return err
	}
	if typed == "" {
		return domain.InvalidField("setup_code", domain.FieldRequired, "is required for the first account: you find it in the log of the server")
	}
	by, err := a.Try(ctx, core.TrySetup, "", from)
	if err != nil {
		return err
	}
	if !sameCode(typed, code) {
		return domain.InvalidField("setup_code", domain.FieldIncorrect, "is not the setup code of this server")
	}
	return a.Succeeded(ctx, by)
}

// madeFirst calls Setup.Done after the transaction that created the first account.
func (a *Accounts) madeFirst() {
	if a.accounts.Setup.Done != nil {
		a.accounts.Setup.Done()
	}
}

package accounts

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/app/signin"
	"vitrine/internal/domain"
)

// Setup protects the first account, which is an operator's. The zero value asks nobody for a code.
type Setup struct {
	Ask  Asking
	Code string // that was chosen; "" for one that all servers of the database share
	Done func() // called when the first account has been made; nil for nothing
}

// Asking is who is asked for the setup code.
type Asking int

// The choices.
const (
	AskNobody Asking = iota
	AskRemote        // requests that were not sent to this machine by itself
	AskAll
)

// setupName is the name of the key that the code is made of.
const setupName = "setup code"

// SetupCode returns the code for the first account; "" if nobody is asked for one, or not any more.
func (a *Accounts) SetupCode(ctx context.Context) (string, error) {
	if a.accounts.Setup.Ask == AskNobody {
		return "", nil
	}
	if first, err := a.Store.NobodyYet(ctx); err != nil || !first {
		return "", err
	}
	if a.accounts.Setup.Code != "" {
		return a.accounts.Setup.Code, nil
	}
	key, err := a.Secret(ctx, &a.setupKey, setupName)
	if err != nil {
		return "", err
	}
	return signin.WriteCode(key), nil
}

// AsksForSetupCode reports whether a visitor needs the setup code to make the first account.
func (a *Accounts) AsksForSetupCode(from domain.Visitor) bool {
	return a.accounts.Setup.Ask == AskAll || a.accounts.Setup.Ask == AskRemote && !from.Local
}

// CheckSetupCode refuses a visitor without the setup code as long as there is no account. Afterwards it
// accepts anything: an account that was made stays the first, even if it is deleted. The error names
// `setup_code`; too many attempts are TooMany.
func (a *Accounts) CheckSetupCode(ctx context.Context, from domain.Visitor, typed string) error {
	if !a.AsksForSetupCode(from) {
		return nil
	}
	code, err := a.SetupCode(ctx)
	if err != nil || code == "" {
		return err
	}
	if typed == "" {
		return domain.InvalidField("setup_code", domain.FieldRequired, "is needed for the first account: it is in the log of the server")
	}
	by, err := a.Try(ctx, core.TrySetup, "", from)
	if err != nil {
		return err
	}
	if !signin.SameCode(typed, code) {
		return domain.InvalidField("setup_code", domain.FieldIncorrect, "is not the setup code of this server")
	}
	return a.Succeeded(ctx, by)
}

// madeFirst is called after the transaction that made the first account.
func (a *Accounts) madeFirst() {
	if a.accounts.Setup.Done != nil {
		a.accounts.Setup.Done()
	}
}

package account

import (
	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// passkeysView is the data of the second factor's pages.
type passkeysView struct {
	accounts.SecondFactor
	Possible bool // browsers offer passkeys here
	Passkey  passkey
	Options  string   // with which the browser creates a passkey
	Name     string   // of the new passkey
	New      []string // new recovery codes, which are shown only once
	First    bool     // the codes were created with the first passkey
}

// Last reports whether there is only one passkey.
func (p passkeysView) Last() bool { return len(p.Passkeys) == 1 }

// passkeysPage lists the passkeys, with the form for another, and shows how many codes are left.
func passkeysPage(v *web.Visit) error { return showPasskeys(v, nil) }

func showPasskeys(v *web.Visit, f *web.Form) error {
	shown, err := secondFactor(v)
	if err != nil {
		return err
	}
	return v.Page("passkeys", v.T("account.title.passkeys"), f, shown)
}

func secondFactor(v *web.Visit) (shown passkeysView, err error) {
	shown.Possible = v.App().Accounts.PasskeysPossible()
	shown.SecondFactor, err = v.App().Accounts.SecondFactor(v.R.Context(), v.Actor())
	return shown, err
}

// toPasskeys redirects to the list, since the page of this form cannot be opened directly.
func toPasskeys(v *web.Visit) error { return v.Redirect("/settings/passkeys") }

// beginPasskey shows the page on which a script creates a passkey in the browser.
func beginPasskey(v *web.Visit) error {
	f := v.Form()
	in := accounts.PasskeyInput{Name: f.Trimmed("name")}
	options, err := v.App().Accounts.BeginPasskey(v.R.Context(), v.Actor(), v.Session, in)
	if err != nil {
		if f.Refused(err, "name") {
			return showPasskeys(v, f)
		}
		return err
	}
	return v.Page("passkey-add", v.T("account.title.passkey-add"), nil, passkeysView{Options: string(options), Name: in.Name})
}

// addPasskey stores the passkey that the browser created. For the first one it also shows recovery
// codes.
func addPasskey(v *web.Visit) error {
	f := v.Form()
	in := accounts.PasskeyInput{Name: f.Trimmed("name")}
	codes, secret, err := v.App().Accounts.AddPasskey(v.R.Context(), v.Actor(), v.Session, in, f.Get("passkey"), endOthers(f))
	if err != nil {
		if f.Refused(err, "name") {
			return showPasskeys(v, f)
		}
		return err
	}
	v.Renewed(secret)
	if codes == nil {
		return v.Done("/settings/passkeys", "passkey-added")
	}
	return showCodes(v, nil, codes, true)
}

// passkey is an entry of the list.
type passkey struct {
	ID   int64
	Name string
}

// passkeyNamed returns the passkey in the path.
func passkeyNamed(v *web.Visit) (shown passkeysView, err error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return shown, err
	}
	if shown, err = secondFactor(v); err != nil {
		return shown, err
	}
	for _, p := range shown.Passkeys {
		if int64(p.ID) == id {
			shown.Passkey = passkey{id, p.Name}
			return shown, nil
		}
	}
	return shown, domain.NewNotFound()
}

// passkeyPage explains the consequences of removing a passkey, and requires a confirmation.
func passkeyPage(v *web.Visit) error { return showPasskey(v, nil) }

func showPasskey(v *web.Visit, f *web.Form) error {
	shown, err := passkeyNamed(v)
	if err != nil {
		return err
	}
	return v.Page("passkey", v.T("account.title.passkey", shown.Passkey.Name), f, shown)
}

func removePasskey(v *web.Visit) error {
	f := v.Form()
	shown, err := passkeyNamed(v)
	if err != nil {
		return err
	}
	for _, p := range shown.Passkeys {
		if int64(p.ID) != shown.Passkey.ID {
			continue
		}
		last, secret, err := v.App().Accounts.RemovePasskey(v.R.Context(), v.Actor(), v.Session, p.ID, endOthers(f))
		if err != nil {
			if f.Refused(err) {
				return showPasskey(v, f)
			}
			return err
		}
		v.Renewed(secret)
		if last {
			return v.Done("/settings/passkeys", "passkeys-ended")
		}
	}
	return v.Done("/settings/passkeys", "passkey-removed")
}

// codesPage shows how many codes are left, and offers new ones.
func codesPage(v *web.Visit) error { return showCodes(v, nil, nil, false) }

func showCodes(v *web.Visit, f *web.Form, made []string, first bool) error {
	shown, err := secondFactor(v)
	if err != nil {
		return err
	}
	shown.New, shown.First = made, first
	return v.Page("recovery-codes", v.T("account.title.recovery-codes"), f, shown)
}

// makeCodes creates new recovery codes, and shows them once.
func makeCodes(v *web.Visit) error {
	f := v.Form()
	codes, secret, err := v.App().Accounts.NewRecoveryCodes(v.R.Context(), v.Actor(), v.Session, endOthers(f))
	if err != nil {
		if f.Refused(err) {
			return showCodes(v, f, nil, false)
		}
		return err
	}
	v.Renewed(secret)
	return showCodes(v, nil, codes, false)
}

package account

import "vitrine/internal/site/web"

// deletePage explains what deleting the account does, and asks for confirmation.
func deletePage(v *web.Visit) error { return showDelete(v, nil) }

func showDelete(v *web.Visit, f *web.Form) error {
	farewell, err := v.App().Accounts.PreviewDeletion(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("delete", v.T("account.title.delete"), f, farewell)
}

// deleteAccount deletes the account, and with it the session.
func deleteAccount(v *web.Visit) error {
	f := v.Form()
	err := v.App().Accounts.DeleteAccount(v.R.Context(), v.Actor(), v.Session, f.Trimmed("slug"))
	if err != nil {
		if f.Refused(err, "slug") {
			return showDelete(v, f)
		}
		return err
	}
	r, err := v.App().Accounts.ErasureReceipt(v.R.Context(), v.Actor().UserID)
	v.ForgetSession()
	if err != nil {
		return err
	}
	return v.Done("/receipt/"+r.Code, "account-deleted")
}

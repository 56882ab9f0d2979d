package account

import (
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// grantsPage lists the applications that may act for the account.
func grantsPage(v *web.Visit) error {
	grants, err := v.App().Accounts.Grants(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("grants", v.T("account.title.grants"), nil, grants)
}

// revokeGrant revokes the access of an application.
func revokeGrant(v *web.Visit) error {
	id, err := web.ID(v.Form().Get("revoke"))
	if err != nil {
		return err
	}
	if err := v.App().Accounts.RevokeGrant(v.R.Context(), v.Actor(), domain.GrantID(id)); err != nil {
		return err
	}
	return v.Done("/settings/applications", "grant")
}

package site

import "vitrine/internal/domain"

// grantsPage lists the applications that may act for the account.
func grantsPage(v *visit) error {
	grants, err := v.app().Grants(v.r.Context(), v.actor())
	if err != nil {
		return err
	}
	return v.page("grants", "Authorised applications", nil, grants)
}

// revokeGrant takes back what an application may do.
func revokeGrant(v *visit) error {
	id, err := idOf(v.form().get("revoke"))
	if err != nil {
		return err
	}
	if err := v.app().RevokeGrant(v.r.Context(), v.actor(), domain.GrantID(id)); err != nil {
		return err
	}
	return v.done("/settings/applications", "grant")
}

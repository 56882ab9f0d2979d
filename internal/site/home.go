package site

import "vitrine/internal/app"

// home says what this is, and leads on.
func home(v *visit) error {
	var offer app.SignUpOffer
	if v.account == nil {
		var err error
		if offer, err = v.app().SignUpOffer(v.r.Context(), ""); err != nil {
			return err
		}
	}
	return v.page("home", "Vitrine", nil, offer)
}

// settings is where an account is looked after.
func settings(v *visit) error { return v.redirect("/settings/profile") }

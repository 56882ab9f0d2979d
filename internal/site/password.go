package site

// passwordPage asks for the current password and a new one.
func passwordPage(v *visit) error { return v.showPassword(nil) }

func (v *visit) showPassword(f *form) error { return v.page("password", "Password", f, nil) }

// changePassword sets it, and signs out all other browsers.
func changePassword(v *visit) error {
	f := v.form()
	err := v.app().ChangePassword(v.r.Context(), v.actor(), v.session.ID,
		f.values.Get("current"), f.values.Get("password"))
	if err != nil {
		if f.refused(err, "current", "password") {
			return v.showPassword(f)
		}
		return err
	}
	return v.done("/settings/password", "password")
}

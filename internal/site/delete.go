package site

// deletePage says what deleting the account would do, and asks whether to.
func deletePage(v *visit) error { return v.showDelete(nil) }

func (v *visit) showDelete(f *form) error {
	farewell, err := v.app().Farewell(v.r.Context(), v.actor())
	if err != nil {
		return err
	}
	return v.page("delete", "Delete account", f, farewell)
}

// deleteAccount deletes it, and with it the session.
func deleteAccount(v *visit) error {
	f := v.form()
	err := v.app().DeleteAccount(v.r.Context(), v.actor(), f.trimmed("slug"), f.values.Get("password"))
	if err != nil {
		if f.refused(err, "slug", "password") {
			return v.showDelete(f)
		}
		return err
	}
	v.s.setCookie(v.w, v.s.sessionCookie(), "", -1)
	return v.done("/", "account-deleted")
}

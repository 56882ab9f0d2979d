package site

// notes are what a page may be told to say once, after a form that led to it. Only the
// key travels, in a cookie, so nobody can put words into our mouth.
var notes = map[string]string{
	"welcome":             "Welcome. Your account is ready.",
	"operator":            "Welcome. Your account is ready, and you are the operator.",
	"signed-out":          "You are signed out.",
	"password-set":        "Your password is set, and you are signed in.",
	"profile":             "Your profile is saved.",
	"password":            "Your password is changed. Other browsers were signed out.",
	"email-sent":          "We have sent a link to the new address. The address changes when you follow it.",
	"email-kept":          "This server sends no mail. Ask its operator for the link to the new address, and follow it.",
	"email":               "Your e-mail address is changed.",
	"session":             "The session is ended.",
	"sessions":            "All other sessions are ended.",
	"token":               "The token is revoked.",
	"grant":               "The application no longer has access.",
	"application":         "The application is saved.",
	"application-deleted": "The application is deleted.",
	"joined":              "You are now a member.",
	"declined":            "The invitation is declined.",
	"account-deleted":     "Your account is deleted.",
	"account":             "The account is changed.",
	"sign-up":             "The setting is saved.",
	"sign-up-link":        "The link no longer works.",
	"job":                 "The job will run again.",
}

// note is what this page says once, "" for nothing.
func (v *visit) note() string {
	c, err := v.r.Cookie(v.s.noteCookie())
	if err != nil {
		return ""
	}
	v.s.setCookie(v.w, v.s.noteCookie(), "", -1)
	return notes[c.Value]
}

package site

import (
	"net/http"
	"slices"
	"strings"
)

// handler answers a visit, or gives an error for which a page is shown.
type handler func(v *visit) error

// access is who may see a page.
type access int

const (
	anyone access = iota
	users         // who is not signed in is led to signing in, and back
	operators
)

// route is an address and what is there. Segments in braces stand for any text; where
// they are secret, logs have the pattern instead of the path.
type route struct {
	path   string
	access access
	get    handler // nil for none; HEAD is served by it too
	post   handler // nil for none
}

// routes are all pages of the website.
var routes = []route{
	{"/", anyone, home, nil},
	{"/sign-up", anyone, signUpPage, signUp},
	{"/confirm/{token}", anyone, confirmPage, confirm},
	{"/sign-in", anyone, signInPage, signIn},
	{"/sign-out", anyone, nil, signOut},
	{"/forgot-password", anyone, forgotPage, forgot},
	{"/reset-password/{token}", anyone, resetPage, reset},

	{"/settings", users, settings, nil},
	{"/settings/profile", users, profilePage, saveProfile},
	{"/settings/email", users, emailPage, changeEmail},
	{"/settings/email/{token}", anyone, confirmEmailPage, confirmEmail},
	{"/settings/password", users, passwordPage, changePassword},
	{"/settings/sessions", users, sessionsPage, endSession},
	{"/settings/storage", users, storagePage, nil},
	{"/settings/personal-access-tokens", users, tokensPage, changeTokens},
	{"/settings/applications", users, grantsPage, revokeGrant},
	{"/settings/delete", users, deletePage, deleteAccount},

	{"/oauth/applications", users, applicationsPage, createApplication},
	{"/oauth/applications/{id}", users, applicationPage, changeApplication},
	{"/oauth/authorize", anyone, consentPage, consent},

	{"/invitations/{token}", anyone, invitationPage, answerInvitation},
	{"/group/{slug}/invite/{code}", anyone, groupInvitePage, joinGroup},

	{"/operator", operators, operatorPage, nil},
	{"/operator/accounts", operators, accountsPage, nil},
	{"/operator/accounts/{slug}", operators, accountPage, changeAccount},
	{"/operator/sign-up", operators, signUpSettingsPage, changeSignUp},
	{"/operator/jobs", operators, jobsPage, retryJobs},
}

// match finds the route of a path, and what stands in the place of its braces.
func match(path string) (found route, args []string, ok bool) {
	for _, r := range routes {
		if args, ok := r.match(path); ok {
			return r, args, true
		}
	}
	return route{}, nil, false
}

func (r route) match(path string) (args []string, ok bool) {
	want, got := strings.Split(r.path, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case strings.HasPrefix(w, "{") && got[i] != "":
			args = append(args, got[i])
		case w != got[i]:
			return nil, false
		}
	}
	return args, true
}

// secret reports whether the path of a visit lets its reader in somewhere.
func (r route) secret() bool {
	return strings.Contains(r.path, "{token}") || strings.Contains(r.path, "{code}")
}

// handler gives what answers a method, nil if nothing does.
func (r route) handler(method string) handler {
	switch method {
	case http.MethodGet, http.MethodHead:
		return r.get
	case http.MethodPost:
		return r.post
	}
	return nil
}

// allow lists the methods of a route.
func (r route) allow() string {
	var methods []string
	if r.get != nil {
		methods = append(methods, http.MethodGet, http.MethodHead)
	}
	if r.post != nil {
		methods = append(methods, http.MethodPost)
	}
	return strings.Join(slices.Concat(methods, []string{http.MethodOptions}), ", ")
}

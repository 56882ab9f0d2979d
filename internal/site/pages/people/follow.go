package people

import (
	"net/url"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// kinds maps names in forms to the types that can be followed.
var kinds = map[string]domain.SubjectType{"user": domain.SubjectUser, "channel": domain.SubjectChannel, "group": domain.SubjectGroup}

// follow follows or unfollows, and redirects back to the page of the button.
func follow(v *web.Visit) error {
	f := v.Form()
	next := v.Next()
	if next == "" {
		next = "/feed"
	}
	if v.Account == nil {
		return v.Redirect("/sign-in?next=" + url.QueryEscape(next))
	}
	kind, known := kinds[f.Get("type")]
	if !known {
		return web.UnknownButton()
	}
	id, err := web.ID(f.Get("id"))
	if err != nil {
		return err
	}
	what := people.FollowTarget{Type: kind, Ref: domain.Ref{ID: id}}
	switch f.Get("do") {
	case "follow":
		err = v.App().People.Follow(v.R.Context(), v.Actor(), what)
	case "unfollow":
		err = v.App().People.Unfollow(v.R.Context(), v.Actor(), what)
	default:
		return web.UnknownButton()
	}
	if err != nil {
		return err
	}
	return v.Redirect(next)
}

package account

import (
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// groupInvite returns the group of an invitation link, or an error if the code is wrong.
func groupInvite(v *web.Visit) (domain.Group, error) {
	return v.App().People.InviteeGroup(v.R.Context(), v.Actor(), domain.ParseRef(v.Args[0]), v.Args[1])
}

// groupInvitePage shows the group of an invitation link.
func groupInvitePage(v *web.Visit) error {
	g, err := groupInvite(v)
	if err != nil {
		return deadLink(v, err)
	}
	data := struct {
		domain.Group
		Here string
	}{g, v.Here()}
	return v.Page("group-invite", v.T("account.title.group-invite", g.Name), nil, data)
}

// joinGroup makes the account a member.
func joinGroup(v *web.Visit) error {
	g, err := groupInvite(v)
	if err != nil {
		return deadLink(v, err)
	}
	if v.Account == nil {
		return v.AskToSignIn()
	}
	ref := domain.Ref{ID: int64(g.ID)}
	if _, _, err := v.App().People.JoinGroup(v.R.Context(), v.Actor(), ref, v.Args[1]); err != nil {
		return err
	}
	return v.Done("/", "joined")
}

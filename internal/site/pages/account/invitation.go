package account

import (
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// invitationView is an invitation as the visitor sees it.
type invitationView struct {
	domain.Invitation
	Token string
	Here  string // the path of the page
	Other bool   // the invitation is for another user than the one who is signed in
}

// invitationPage shows an invitation to anyone with the link.
func invitationPage(v *web.Visit) error {
	i, err := v.App().People.InvitationByToken(v.R.Context(), v.Args[0])
	if err != nil {
		return deadLink(v, err)
	}
	return showInvitation(v, nil, i)
}

func showInvitation(v *web.Visit, f *web.Form, i domain.Invitation) error {
	shown := invitationView{Invitation: i, Token: v.Args[0], Here: v.Here(),
		Other: v.Account != nil && !domain.CanAccept(v.Actor(), i)}
	return v.Page("invitation", v.T("account.title.invitation", i.Group.Name), f, shown)
}

// answerInvitation accepts or declines. Declining requires no account.
func answerInvitation(v *web.Visit) error {
	token := v.Args[0]
	switch v.Form().Get("answer") {
	case "accept":
		if v.Account == nil {
			return v.AskToSignIn()
		}
		if _, err := v.App().People.AcceptInvitation(v.R.Context(), v.Actor(), token); err != nil {
			return refuseInvitation(v, err)
		}
		return v.Done("/", "joined")
	case "decline":
		if err := v.App().People.DeclineInvitation(v.R.Context(), token); err != nil {
			return deadLink(v, err)
		}
		return v.Done("/", "declined")
	}
	return web.UnknownButton()
}

// refuseInvitation shows on the page of the invitation that it is for another user.
func refuseInvitation(v *web.Visit, err error) error {
	f := v.Form()
	if domain.KindOf(err) != domain.Forbidden || !f.Refused(err) {
		return deadLink(v, err)
	}
	i, err := v.App().People.InvitationByToken(v.R.Context(), v.Args[0])
	if err != nil {
		return deadLink(v, err)
	}
	return showInvitation(v, f, i)
}

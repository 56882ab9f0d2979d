package site

import (
	"vitrine/internal/domain"
)

// invitationView is an invitation, and who looks at it.
type invitationView struct {
	domain.Invitation
	Token string
	Here  string // the address of the page
	Other bool   // it is for somebody else than who is signed in
}

// invitationPage shows who invites to what. Whoever has the link may read it.
func invitationPage(v *visit) error {
	i, err := v.app().InvitationByToken(v.r.Context(), v.args[0])
	if err != nil {
		return v.deadLink(err)
	}
	return v.showInvitation(nil, i)
}

func (v *visit) showInvitation(f *form, i domain.Invitation) error {
	shown := invitationView{Invitation: i, Token: v.args[0], Here: v.here(),
		Other: v.account != nil && !domain.CanAccept(v.actor(), i)}
	return v.page("invitation", "Invitation to "+i.Group.Name, f, shown)
}

// answerInvitation accepts or declines. Declining takes no account.
func answerInvitation(v *visit) error {
	token := v.args[0]
	switch v.form().get("answer") {
	case "accept":
		if v.account == nil {
			return v.askToSignIn()
		}
		if _, err := v.app().AcceptInvitation(v.r.Context(), v.actor(), token); err != nil {
			return v.refuseInvitation(err)
		}
		return v.done("/", "joined")
	case "decline":
		if err := v.app().DeclineInvitation(v.r.Context(), token); err != nil {
			return v.deadLink(err)
		}
		return v.done("/", "declined")
	}
	return unknownButton()
}

// refuseInvitation says on the page of the invitation that it is somebody else's.
func (v *visit) refuseInvitation(err error) error {
	f := v.form()
	if domain.KindOf(err) != domain.Forbidden || !f.refused(err) {
		return v.deadLink(err)
	}
	i, err := v.app().InvitationByToken(v.r.Context(), v.args[0])
	if err != nil {
		return v.deadLink(err)
	}
	return v.showInvitation(f, i)
}

package site

import "vitrine/internal/domain"

// groupInvite reads the group that the address invites to. A wrong code opens nothing.
func (v *visit) groupInvite() (domain.Group, error) {
	return v.app().InviteeGroup(v.r.Context(), v.actor(), domain.ParseRef(v.args[0]), v.args[1])
}

// groupInvitePage shows the group that can be joined.
func groupInvitePage(v *visit) error {
	g, err := v.groupInvite()
	if err != nil {
		return v.deadLink(err)
	}
	data := struct {
		domain.Group
		Here string
	}{g, v.here()}
	return v.page("group-invite", "Join "+g.Name, nil, data)
}

// joinGroup makes the account a member.
func joinGroup(v *visit) error {
	g, err := v.groupInvite()
	if err != nil {
		return v.deadLink(err)
	}
	if v.account == nil {
		return v.askToSignIn()
	}
	ref := domain.Ref{ID: int64(g.ID)}
	if _, _, err := v.app().JoinGroup(v.r.Context(), v.actor(), ref, v.args[1]); err != nil {
		return err
	}
	return v.done("/", "joined")
}

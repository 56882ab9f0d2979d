package people

import (
	"strings"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// pendingListed is how many open invitations the page lists, newest first.
const pendingListed = domain.MaxPerPage

// memberView is a member, and whether the reader may remove them.
type memberView struct {
	present.Principal
	Owner, Removable bool
}

// invitationView is an open invitation: of a user by name, of anyone else by address.
type invitationView struct {
	domain.Invitation
	Whom string
}

// membersPage lists the members of a group. Members also see its open invitations.
func membersPage(v *web.Visit) error {
	g, moved, err := group(v)
	if err != nil || moved {
		return err
	}
	return showMembers(g)(v, nil)
}

func showMembers(g present.Group) func(*web.Visit, *web.Form) error {
	return func(v *web.Visit, f *web.Form) error {
		ctx, actor, ref := v.R.Context(), v.Actor(), domain.Ref{ID: int64(g.ID)}
		n, err := v.PageNumber()
		if err != nil {
			return err
		}
		at := domain.Page{Number: n, Per: listed}
		all, err := v.App().People.Members(ctx, actor, ref, at)
		if err != nil {
			return err
		}
		data := struct {
			Group   present.Group
			Members []memberView
			Pager   web.Pager
			Can     domain.GroupAbilities
			Leaves  bool // the reader is a member who may leave
			Pending []invitationView
			More    int64  // open invitations beyond those shown
			Link    string // reusable invite link, "" for none
		}{Group: g, Pager: v.Pager(at, all.Total), Can: g.Can(actor)}
		data.Leaves = g.Member && !data.Can.Destroy
		for i := range all.Items {
			m := &all.Items[i]
			data.Members = append(data.Members, memberView{v.Addresses().Principal(&m.Principal), m.Owner, data.Can.ManageMembers && !m.Owner})
		}
		if data.Can.ManageInvitations {
			open, err := v.App().People.Invitations(ctx, actor, ref, domain.Page{Number: 1, Per: pendingListed})
			if err != nil {
				return err
			}
			data.More = open.Total - int64(len(open.Items))
			for i := range open.Items {
				shown := invitationView{Invitation: open.Items[i]}
				if who := v.Addresses().Invitation(&open.Items[i]).Invitee(); who != nil {
					shown.Whom = who.Name
				} else if open.Items[i].Email != nil {
					shown.Whom = *open.Items[i].Email
				}
				data.Pending = append(data.Pending, shown)
			}
			invite, err := v.App().People.GroupInvite(ctx, actor, ref)
			if err == nil {
				data.Link = v.Addresses().GroupInvite(&invite.GroupInvite, g.Group).URL()
			} else if domain.KindOf(err) != domain.NotFound {
				return err
			}
		}
		return v.Page("members", v.T("people.members.of", g.Name), f, data)
	}
}

// changeMembers handles the forms of the page.
func changeMembers(v *web.Visit) error {
	g, _, err := group(v)
	if err != nil {
		return err
	}
	f, ctx, actor, ref, here := v.Form(), v.R.Context(), v.Actor(), domain.Ref{ID: int64(g.ID)}, g.Path()+"/members"
	switch {
	case f.Get("remove") != "":
		id, err := web.ID(f.Get("remove"))
		if err != nil {
			return err
		}
		if err := v.App().People.RemoveMember(ctx, actor, ref, domain.UserID(id)); err != nil {
			return err
		}
		return v.Done(here, "member-removed")
	case f.Get("revoke") != "":
		id, err := web.ID(f.Get("revoke"))
		if err != nil {
			return err
		}
		if err := v.App().People.RevokeInvitation(ctx, actor, ref, domain.InvitationID(id)); err != nil {
			return refused(v, f, err, showMembers(g))
		}
		return v.Done(here, "invitation-revoked")
	}
	switch f.Get("do") {
	case "invite":
		return invite(v, g, f)
	case "leave":
		if err := v.App().People.LeaveGroup(ctx, actor, ref); err != nil {
			return err
		}
		return v.Done(g.Path(), "group-left")
	case "link":
		if _, _, err := v.App().People.CreateGroupInvite(ctx, actor, ref); err != nil {
			return err
		}
		return v.Done(here, "invite-link")
	case "unlink":
		if err := v.App().People.DeleteGroupInvite(ctx, actor, ref); err != nil {
			return err
		}
		return v.Done(here, "invite-link-ended")
	}
	return web.UnknownButton()
}

// invite invites a person by short name or e-mail address.
func invite(v *web.Visit, g present.Group, f *web.Form) error {
	who := f.Trimmed("who")
	in := people.InviteInput{Email: who}
	if name := strings.TrimPrefix(who, "@"); who != "" && !strings.Contains(name, "@") {
		u, err := v.App().People.User(v.R.Context(), domain.ParseRef(name))
		if domain.KindOf(err) == domain.NotFound {
			f.Wrong("who", v.T("people.nobody"))
			return showMembers(g)(v, f)
		}
		if err != nil {
			return err
		}
		in = people.InviteInput{User: u.ID}
	}
	if who == "" {
		f.Wrong("who", v.T("people.members.whom"))
		return showMembers(g)(v, f)
	}
	done, err := v.App().People.Invite(v.R.Context(), v.Actor(), domain.Ref{ID: int64(g.ID)}, in)
	switch domain.KindOf(err) {
	case domain.Forbidden: // no other input can succeed
		return err
	case domain.Invalid:
		f.Wrong("who", v.T("people.members.no-address"))
		return showMembers(g)(v, f)
	}
	if err != nil {
		return refused(v, f, err, showMembers(g), "who")
	}
	here := g.Path() + "/members"
	switch done.Outcome {
	case domain.OutcomeAdded:
		return v.Done(here, "member-added")
	case domain.OutcomeAlreadyMember:
		return v.Done(here, "member-already")
	case domain.OutcomePending:
		return v.Done(here, "invitation-pending")
	}
	if !v.Mails() {
		return v.Done(here, "invitation-kept")
	}
	return v.Done(here, "invitation-sent")
}

package operator

import (
	"context"
	"errors"
	"io"
	"strings"

	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/importing/files"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// invitedAtOnce is how many addresses the form accepts. A file may contain more.
const invitedAtOnce = 50

// invitationsView is a page of invitations that were not accepted yet.
type invitationsView struct {
	domain.List[operating.SignUpLinkView]
	Previous, Next string // addresses, "" for none
	Results        []inviteResult
}

// inviteResult is the result of inviting one person.
type inviteResult struct {
	operating.InvitedPerson
	Line  int // in the file; 0 if there is no file
	Email string
	Why   string // the reason if it failed
}

// invitationsPage lists the open invitations.
func invitationsPage(v *web.Visit) error { return showInvitations(v, nil, invitationsView{}) }

func showInvitations(v *web.Visit, f *web.Form, shown invitationsView) (err error) {
	page := pageOf(v)
	if shown.List, err = v.App().Operating.OpenInvitations(v.R.Context(), operatorOf(v), page); err != nil {
		return err
	}
	place := present.Page{Page: page, Total: shown.Total}
	shown.Previous = present.PageAddress("/operator/invitations", nil, place.Prev())
	shown.Next = present.PageAddress("/operator/invitations", nil, place.Next())
	return v.Page("operator-invitations", v.T("operator.title.invitations"), f, shown)
}

// changeInvitations invites people by address or from a file, renews an invitation's link, or
// withdraws an invitation.
func changeInvitations(v *web.Visit) error {
	rows, fault, err := peopleFile(v)
	if err != nil {
		return err
	}
	f := v.Form()
	if fault != nil {
		return refuseInvitations(v, fault, f)
	}
	if end := f.Get("end"); end != "" {
		id, err := web.ID(end)
		if err != nil {
			return err
		}
		if err := v.App().Operating.EndSignUpLink(v.R.Context(), operatorOf(v), domain.SignUpLinkID(id)); err != nil {
			return err
		}
		return v.Done("/operator/invitations", "invitation-withdrawn")
	}
	if again := f.Trimmed("again"); again != "" {
		return invite(v, f, []files.Invitee{{Email: again}}, true)
	}
	switch f.Get("do") {
	case "people":
		for i, email := range strings.Fields(strings.NewReplacer(",", " ", ";", " ").Replace(f.Get("emails"))) {
			if i == invitedAtOnce {
				return refuseInvitations(v, domain.InvalidField("emails", domain.FieldTooMany, "must have at most 50 items"), f)
			}
			rows = append(rows, files.Invitee{Email: email})
		}
		if len(rows) == 0 {
			return refuseInvitations(v, domain.InvalidField("emails", domain.FieldTooFew, "must have at least 1 item"), f)
		}
	case "file":
		if len(rows) == 0 {
			return refuseInvitations(v, domain.InvalidField("file", domain.FieldRequired, "has nobody in it"), f)
		}
	default:
		return web.UnknownButton()
	}
	return invite(v, f, rows, false)
}

// peopleFile reads the uploaded file of a form. fault is the error to show at its field.
func peopleFile(v *web.Visit) (rows []files.Invitee, fault, err error) {
	if !v.HasParts() {
		return nil, nil, nil
	}
	err = v.Parts(func(p web.Part) (err error) {
		if p.Field != "file" || rows != nil || fault != nil {
			return nil
		}
		if rows, err = files.ReadInvitees(p.Body); domain.KindOf(err) == domain.Invalid {
			fault, err = err, nil
			_, _ = io.Copy(io.Discard, io.LimitReader(p.Body, files.MaxInviteeBytes)) // so that the fields after it are read
		}
		return err
	})
	if errors.Is(err, web.ErrEnded) {
		fault, err = domain.InvalidField("file", domain.FieldMalformed, "ended too early"), nil
	}
	return rows, fault, err
}

// invite invites people one by one, and reports the result of each. If the request is interrupted,
// sending the form again continues without inviting anyone twice.
func invite(v *web.Visit, f *web.Form, rows []files.Invitee, again bool) error {
	ctx, shown := v.R.Context(), invitationsView{}
	for _, row := range rows {
		in := operating.PersonInput{Email: row.Email, Name: row.Name, Slug: row.Slug, Group: row.Group, Mail: v.Mails(), Again: again}
		if in.Group == "" {
			in.Group = f.Trimmed("group")
		}
		result, err := invited(ctx, v, in, row)
		if err != nil {
			return err
		}
		shown.Results = append(shown.Results, result)
	}
	return showInvitations(v, nil, shown)
}

func invited(ctx context.Context, v *web.Visit, in operating.PersonInput, row files.Invitee) (inviteResult, error) {
	result := inviteResult{Line: row.Line, Email: row.Email}
	if row.Fault.Text != "" {
		result.Why = v.Lang.Fault(row.Fault.Text)
		return result, nil
	}
	r, err := v.App().Operating.InvitePerson(ctx, operatorOf(v), in)
	if known, ok := errors.AsType[*domain.Error](err); ok && known.Kind == domain.Invalid {
		for _, fault := range known.Fields {
			result.Why = strings.TrimSpace(result.Why + " " + web.Sentence(fault.Path+": "+v.Lang.Fault(fault.Text)))
		}
		return result, nil
	}
	result.InvitedPerson = r
	return result, err
}

func refuseInvitations(v *web.Visit, err error, f *web.Form) error {
	if f.Refused(err, "emails", "group", "file") {
		return showInvitations(v, f, invitationsView{})
	}
	return err
}

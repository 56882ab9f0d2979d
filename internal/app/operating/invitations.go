package operating

import (
	"context"
	"strings"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// PersonInput is a person to invite to create an account. Name and Slug are suggestions.
type PersonInput struct {
	Email string
	Name  string // may be ""
	Slug  string // may be ""
	Group string // id or slug of a group to join, or ""
	Days  int64  // lifetime of the link; 0 means DefaultLinkDays
	Mail  bool   // mail the link instead of returning it
	Again bool   // replace the link of a person who already has one
}

// Validate checks everything except the existence of the group. Errors name `email`, `name`, `slug`, `group` and `days`.
func (in PersonInput) Validate() error {
	var f domain.Faults
	core.CheckEmail(&f, strings.TrimSpace(in.Email))
	if name := domain.CleanName(in.Name); name != "" {
		f.Name("name", name)
	}
	accounts.CheckSlug(&f, strings.TrimSpace(in.Slug))
	f.Text("group", in.Group, domain.MaxSlugLength)
	f.Between("days", in.Days, 0, domain.MaxLinkDays)
	return f.Err()
}

// PersonOutcome is the result of inviting a person.
type PersonOutcome string

// The outcomes.
const (
	PersonInvited PersonOutcome = "invited"
	PersonRenewed PersonOutcome = "renewed"         // the previous link stopped working
	PersonWaiting PersonOutcome = "already_invited" // the invitation is still open
	PersonKnown   PersonOutcome = "has_account"
)

// InvitedPerson is the result of inviting a person, with the invitation or the slug of the existing account.
type InvitedPerson struct {
	Outcome PersonOutcome
	Link    domain.SignUpLink
	Account string
	Address string // of the page for signing up, shown only once; "" if it is mailed
}

// InvitePerson invites a person to create an account, even if signing up is closed, with a link that works once and only
// for their address. A person who has an account or an invitation is not invited again. Errors are those of Validate,
// and a slug that is taken.
func (a *Operating) InvitePerson(ctx context.Context, by Operator, in PersonInput) (r InvitedPerson, err error) {
	if err := in.Validate(); err != nil {
		return r, err
	}
	token, hash, _ := auth.NewToken(auth.Admitted)
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		r, err = a.invitePerson(ctx, tx, by, in, hash)
		return err
	})
	if domain.KindOf(err) == domain.Conflict { // somebody else has just invited them
		return InvitedPerson{Outcome: PersonWaiting, Link: domain.SignUpLink{Email: core.CanonicalEmail(strings.TrimSpace(in.Email))}}, nil
	}
	if err == nil && !in.Mail && (r.Outcome == PersonInvited || r.Outcome == PersonRenewed) {
		r.Address = a.SignUpAddress(token)
	}
	return r, err
}

func (a *Operating) invitePerson(ctx context.Context, tx *store.Tx, by Operator, in PersonInput, hash []byte) (r InvitedPerson, err error) {
	now := a.Now()
	l := domain.SignUpLink{Email: core.CanonicalEmail(strings.TrimSpace(in.Email)), Name: domain.CleanName(in.Name), Slug: strings.TrimSpace(in.Slug),
		Places: 1, CreatedAt: now, ExpiresAt: linkEnd(now, in.Days)}
	if l.Group, err = groupNamed(ctx, tx.Queries, in.Group); err != nil {
		return r, err
	}
	u, err := tx.Users().UserByEmail(ctx, l.Email)
	if err == nil {
		return InvitedPerson{Outcome: PersonKnown, Link: l, Account: u.Slug}, nil
	}
	if domain.KindOf(err) != domain.NotFound {
		return r, err
	}
	was, err := tx.Account().LinkOfEmail(ctx, l.Email)
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return r, err
	}
	if err == nil && was.Live(now) && !in.Again {
		return InvitedPerson{Outcome: PersonWaiting, Link: was}, nil
	}
	r = InvitedPerson{Outcome: PersonInvited, Link: l}
	if err == nil { // expired, or to be replaced
		if was.Live(now) {
			r.Outcome = PersonRenewed
			r.Link.Name, r.Link.Slug = or(l.Name, was.Name), or(l.Slug, was.Slug)
			if l.Group == nil {
				r.Link.Group = was.Group
			}
		}
		if err := tx.Account().EndSignUpLink(ctx, was.ID, now); err != nil {
			return r, err
		}
	}
	if err := accounts.SlugFree(ctx, tx.Queries, l.Slug); err != nil {
		return r, err
	}
	if r.Link.ID, err = tx.Account().CreateSignUpLink(ctx, by.actor.UserID, r.Link, hash); err != nil {
		return r, err
	}
	// The link contains the address as long as it is kept. The log contains no addresses.
	if err := a.Audit(ctx, tx, by.actor, domain.ActAccountInvited, domain.AuditTarget{Kind: "SignUpLink", ID: int64(r.Link.ID)}, nil); err != nil {
		return r, err
	}
	if !in.Mail {
		return r, nil
	}
	return r, tx.Enqueue(ctx, MailInvitation{Link: r.Link.ID}, jobs.For(int64(by.actor.UserID)))
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// InvitationsBelow is OpenInvitations, starting below an id; 0 means from the beginning.
func (a *Operating) InvitationsBelow(ctx context.Context, by Operator, below domain.SignUpLinkID, limit int) (all []SignUpLinkView, err error) {
	now := a.Now()
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		links, err := v.Account().InvitedBelow(ctx, below, limit)
		for _, l := range links {
			all = append(all, SignUpLinkView{SignUpLink: l, Live: l.Live(now)})
		}
		return err
	})
	return all, err
}

// OpenInvitations lists the unused invitations of people, newest first, including expired ones.
func (a *Operating) OpenInvitations(ctx context.Context, by Operator, page domain.Page) (l domain.List[SignUpLinkView], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	now := a.Now()
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		all, err := v.Account().InvitedByEmail(ctx, page)
		l.Total = all.Total
		for _, one := range all.Items {
			l.Items = append(l.Items, SignUpLinkView{SignUpLink: one, Live: one.Live(now)})
		}
		return err
	})
	return l, err
}

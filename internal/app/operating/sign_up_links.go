package operating

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// SetSignUpMode changes the mode for an operator, unless a setting fixes it.
func (a *Operating) SetSignUpMode(ctx context.Context, actor domain.Actor, mode domain.SignUpMode) error {
	if mode != domain.SignUpOpen && mode != domain.SignUpInvitation && mode != domain.SignUpClosed {
		return domain.InvalidField("mode", domain.FieldUnknown, "must be open, invitation or closed")
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := core.Operate(ctx, tx.Queries, actor); err != nil {
			return err
		}
		if a.accounts.SignUpFixed() {
			return domain.NewUnprocessable("The server was started with --signup, which fixes the mode")
		}
		if err := tx.Account().PutSetting(ctx, account.SettingSignUp, string(mode)); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActSignUpMode, domain.AuditTarget{}, map[string]any{"mode": mode})
	})
}

// DefaultLinkDays is the default lifetime of a link for signing up.
const DefaultLinkDays = 14

// SignUpLinkInput is a link for signing up. The zero values mean one place and DefaultLinkDays.
type SignUpLinkInput struct {
	Note    string
	Places  int64
	Days    int64
	Group   string // id or slug of a group to join, or ""
	Vouched bool   // the address needs no verification
}

// Validate checks everything except the existence of the group.
func (in SignUpLinkInput) Validate() error {
	var f domain.Faults
	if note := domain.CleanName(in.Note); note != "" {
		f.Name("note", note)
	}
	f.Between("places", in.Places, 0, domain.MaxPlaces)
	f.Between("days", in.Days, 0, domain.MaxLinkDays)
	f.Text("group", in.Group, domain.MaxSlugLength)
	return f.Err()
}

// CreateSignUpLink creates a link with a number of places for signing up and, if it has a group, joining it. The token
// is not stored. Errors name `note`, `places`, `days` and `group`.
func (a *Operating) CreateSignUpLink(ctx context.Context, by Operator, in SignUpLinkInput) (token string, l domain.SignUpLink, err error) {
	if err := in.Validate(); err != nil {
		return "", l, err
	}
	token, hash, _ := auth.NewToken(auth.Admitted)
	now := a.Now()
	l = domain.SignUpLink{Note: domain.CleanName(in.Note), Places: max(in.Places, 1), Vouched: in.Vouched, CreatedAt: now, ExpiresAt: linkEnd(now, in.Days)}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		n, err := tx.Account().CountSignUpLinks(ctx, now)
		if err != nil {
			return err
		}
		if n >= domain.MaxSignUpLinks {
			return domain.NewUnprocessable(fmt.Sprintf("There are %d unused links: end one first", domain.MaxSignUpLinks))
		}
		if l.Group, err = groupNamed(ctx, tx.Queries, in.Group); err != nil {
			return err
		}
		if l.ID, err = tx.Account().CreateSignUpLink(ctx, by.actor.UserID, l, hash); err != nil {
			return err
		}
		return a.Audit(ctx, tx, by.actor, domain.ActSignUpLinkCreated, domain.AuditTarget{Kind: "SignUpLink", ID: int64(l.ID), Label: l.Note}, nil)
	})
	if err != nil {
		return "", domain.SignUpLink{}, err
	}
	return token, l, nil
}

// linkEnd returns the expiry of a new link; 0 days mean DefaultLinkDays.
func linkEnd(now time.Time, days int64) time.Time {
	if days == 0 {
		days = DefaultLinkDays
	}
	return now.Add(time.Duration(days) * core.Day)
}

// groupNamed reads a group by its id or slug, or returns nil for "". The error names `group`.
func groupNamed(ctx context.Context, q store.Queries, name string) (*domain.Principal, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil, nil
	}
	g, err := q.Groups().Group(ctx, 0, domain.ParseRef(name))
	if domain.KindOf(err) == domain.NotFound {
		return nil, domain.InvalidField("group", domain.FieldUnknown, "is no group")
	}
	if err != nil {
		return nil, err
	}
	p := g.Principal()
	return &p, nil
}

// SignUpLinkView is a link for signing up with the accounts that used it.
type SignUpLinkView struct {
	domain.SignUpLink
	Live bool               // it can still be used
	Came []domain.Principal // without deleted accounts
}

// SignUpLinks lists links for signing up that are live or were used recently, newest first, except those for one
// address.
func (a *Operating) SignUpLinks(ctx context.Context, by Operator) (all []SignUpLinkView, err error) {
	now := a.Now()
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		links, err := v.Account().SignUpLinks(ctx, now, now.Add(-accounts.SignUpLinkKept))
		if err != nil {
			return err
		}
		ids := make([]domain.SignUpLinkID, len(links))
		for i, l := range links {
			ids[i] = l.ID
		}
		came, err := v.Account().CameByLink(ctx, ids)
		if err != nil {
			return err
		}
		all = make([]SignUpLinkView, len(links))
		for i, l := range links {
			all[i] = SignUpLinkView{l, l.Live(now), came[l.ID]}
		}
		return nil
	})
	return all, err
}

// EndSignUpLink ends a live link or invitation. It returns NotFound for any other.
func (a *Operating) EndSignUpLink(ctx context.Context, by Operator, id domain.SignUpLinkID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		if err := tx.Account().EndSignUpLink(ctx, id, a.Now()); err != nil {
			return err
		}
		return a.Audit(ctx, tx, by.actor, domain.ActSignUpLinkEnded, domain.AuditTarget{Kind: "SignUpLink", ID: int64(id)}, nil)
	})
}

package accounts

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

const (
	signUpLinkTTL  = 14 * 24 * time.Hour
	signUpLinkKept = 30 * 24 * time.Hour // after it was used or ran out
)

// SetSignUpMode changes the mode; an operator may, unless a setting fixes it.
func (a *Accounts) SetSignUpMode(ctx context.Context, actor domain.Actor, mode domain.SignUpMode) error {
	if mode != domain.SignUpOpen && mode != domain.SignUpInvitation && mode != domain.SignUpClosed {
		return domain.InvalidField("mode", domain.FieldUnknown, "must be open, invitation or closed")
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := core.Operate(ctx, tx.Queries, actor); err != nil {
			return err
		}
		if a.accounts.SignUp != "" {
			return domain.NewUnprocessable("The server was started with --signup, which fixes the mode")
		}
		if err := tx.PutSetting(ctx, account.SettingSignUp, string(mode)); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActSignUpMode, domain.AuditTarget{}, map[string]any{"mode": mode})
	})
}

// CreateSignUpLink makes a link with which one person can sign up, within 14 days. The
// token is not kept. The error of a note names `note`.
func (a *Accounts) CreateSignUpLink(ctx context.Context, actor domain.Actor, note string) (token string, err error) {
	note = strings.TrimSpace(note)
	if note != "" {
		var f domain.Faults
		if core.CheckName(&f, "note", note); f != nil {
			return "", f.Err()
		}
	}
	token, hash, _ := auth.NewToken(auth.Admitted)
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := core.Operate(ctx, tx.Queries, actor); err != nil {
			return err
		}
		n, err := tx.LiveSignUpLinks(ctx, now)
		if err != nil {
			return err
		}
		if n >= domain.MaxSignUpLinks {
			return domain.NewUnprocessable(fmt.Sprintf("There are %d unused links: end one first", domain.MaxSignUpLinks))
		}
		err = tx.CreateSignUpLink(ctx, actor.UserID, domain.SignUpLink{Note: note, CreatedAt: now,
			ExpiresAt: now.Add(signUpLinkTTL)}, hash)
		if err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActSignUpLinkCreated, domain.AuditTarget{Kind: "SignUpLink", Label: note}, nil)
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// SignUpLinks lists links for signing up that are live or were used lately, newest first.
func (a *Accounts) SignUpLinks(ctx context.Context, actor domain.Actor) (all []domain.SignUpLink, err error) {
	now := a.Now()
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := core.Operate(ctx, v.Queries, actor); err != nil {
			return err
		}
		all, err = v.SignUpLinks(ctx, now, now.Add(-signUpLinkKept))
		return err
	})
	return all, err
}

// EndSignUpLink deletes a link that was not used.
func (a *Accounts) EndSignUpLink(ctx context.Context, actor domain.Actor, id domain.SignUpLinkID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := core.Operate(ctx, tx.Queries, actor); err != nil {
			return err
		}
		if err := tx.EndSignUpLink(ctx, id); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActSignUpLinkEnded, domain.AuditTarget{Kind: "SignUpLink", ID: int64(id)}, nil)
	})
}

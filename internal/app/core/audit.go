package core

import (
	"context"
	"errors"
	"maps"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Audit records an actor's action in the audit log, in the same transaction. Without a user, the context determines
// whether the command line, a guest or the server acted. details may be nil, and must not contain secrets.
func (a *Core) Audit(ctx context.Context, tx *store.Tx, actor domain.Actor, act domain.Act, about domain.AuditTarget, details map[string]any) error {
	if actor.ApplicationID != 0 {
		details = maps.Clone(details)
		if details == nil {
			details = map[string]any{}
		}
		details["application"] = actor.ApplicationID
	}
	return a.AuditEntry(ctx, tx, domain.AuditEntry{ActorID: actor.UserID, Act: act, About: about, Details: details})
}

// AuditSelf is Audit for users' actions on their own account.
func (a *Core) AuditSelf(ctx context.Context, tx *store.Tx, actor domain.Actor, act domain.Act) error {
	u, err := tx.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil {
		return err
	}
	return a.Audit(ctx, tx, actor, act, domain.AboutUser(u), nil)
}

// AuditEntry is Audit for an entry that may contain an address of its own.
func (a *Core) AuditEntry(ctx context.Context, tx *store.Tx, e domain.AuditEntry) error {
	return addAuditEntry(ctx, tx, a.Now(), e)
}

// refusedKey counts the entries of AuditRefusedFor.
var refusedKey = Counters([]Limit{{Max: domain.MaxRefusedNoted, Window: time.Hour}}, true, "noted refusals")[0].Key

// AuditRefusal records a refused sign-in of a user, or of the zero User if the address has no account. right reports
// whether the password was right.
func (a *Core) AuditRefusal(ctx context.Context, from domain.Visitor, u domain.User, right bool) error {
	why := "password"
	switch {
	case right:
		why = "suspended"
	case u.ID == 0:
		why = "unknown address"
	}
	return a.AuditRefusedFor(ctx, from, u, why)
}

// AuditRefusedFor records why a sign-in of a user was refused; the zero User means no account. Only the first entries of
// an hour are recorded, so that attackers cannot fill the log. If the address has no account, the typed text is not
// recorded, since it may be a password.
func (a *Core) AuditRefusedFor(ctx context.Context, from domain.Visitor, u domain.User, why string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		n, _, err := tx.Account().Attempt(ctx, refusedKey, a.Now(), time.Hour)
		if err != nil || n > domain.MaxRefusedNoted {
			return err
		}
		e := domain.AuditEntry{Act: domain.ActSignInRefused, Address: from.AddressKept(), Details: map[string]any{"why": why}}
		if u.ID != 0 {
			e.About = domain.AboutUser(u)
		}
		if n == domain.MaxRefusedNoted {
			e.Details["further"] = "are not noted for up to an hour"
		}
		return a.AuditEntry(ctx, tx, e)
	})
}

// AuditRefusedBy calls AuditRefusedFor if an error refuses a sign-in, and returns the error. Call it after the
// transaction that failed. why is the refused method; if the network was refused, the entry says so instead. It ignores
// other errors.
func (a *Core) AuditRefusedBy(ctx context.Context, from domain.Visitor, u domain.User, why string, err error) error {
	switch kind := domain.KindOf(err); {
	case errors.Is(err, errNetwork):
		why = "network"
	case kind != domain.Unauthenticated && kind != domain.Invalid:
		return err
	}
	if noted := a.AuditRefusedFor(ctx, from, u, why); noted != nil {
		return noted
	}
	return err
}

func addAuditEntry(ctx context.Context, tx *store.Tx, at time.Time, e domain.AuditEntry) error {
	from := tx.Origin()
	e.At, e.Request = at, from.Request
	if e.Address == "" && from.Address.IsValid() {
		e.Address = from.Address.String()
	}
	switch {
	case from.Console:
		e.ActorID, e.Actor = 0, domain.ByCommandLine
	case from.Request != "" || e.Address != "":
		e.Actor = domain.ByStranger
	default:
		e.Actor = domain.BySystem
	}
	return tx.Audit().AddAuditEntry(ctx, e)
}

// auditMembers records who joined and who left a group, since members may change what belongs to the group.
func auditMembers(ctx context.Context, tx *store.Tx, d done, events []domain.Event) error {
	for _, event := range events {
		var act domain.Act
		var group domain.GroupID
		var user domain.UserID
		switch e := event.(type) {
		case domain.MemberAdded:
			act, group, user = domain.ActMemberAdded, e.Group, e.User
		case domain.MemberRemoved:
			act, group, user = domain.ActMemberRemoved, e.Group, e.User
		default:
			continue
		}
		err := addAuditEntry(ctx, tx, d.at, domain.AuditEntry{ActorID: d.by, Act: act,
			About: domain.AuditTarget{Kind: string(domain.TypeGroup), ID: int64(group)}, Details: map[string]any{"user": user}})
		if err != nil {
			return err
		}
	}
	return nil
}

package core

import (
	"context"
	"errors"
	"maps"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Audit notes in the audit log what an actor did, in the transaction that does it. What no
// user does is the command line's, a guest's, or the server's own, as the context says.
// Details may be nil, and hold no secret.
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

// AuditSelf is Audit for what a user did about their own account.
func (a *Core) AuditSelf(ctx context.Context, tx *store.Tx, actor domain.Actor, act domain.Act) error {
	u, err := tx.User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil {
		return err
	}
	return a.Audit(ctx, tx, actor, act, domain.AboutUser(u), nil)
}

// AuditEntry is Audit for an entry that may say its own address.
func (a *Core) AuditEntry(ctx context.Context, tx *store.Tx, e domain.AuditEntry) error {
	return addAuditEntry(ctx, tx, a.Now(), e)
}

// refusedKey counts what AuditRefusedFor notes.
var refusedKey = Counters([]Limit{{Most: domain.MaxRefusedNoted, Window: time.Hour}}, true, "noted refusals")[0].Key

// AuditRefusal notes a sign-in that was refused: of a user, the zero User where nobody has
// the address, whose password was right or not.
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

// AuditRefusedFor notes why a sign-in was refused: of a user, the zero User where nobody is meant.
// Of an hour only the first are noted, so that who attacks cannot fill the log. What was typed
// where nobody has the address is not: it may be a password.
func (a *Core) AuditRefusedFor(ctx context.Context, from domain.Visitor, u domain.User, why string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		n, _, err := tx.Attempt(ctx, refusedKey, a.Now(), time.Hour)
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

// AuditRefusedBy is AuditRefusedFor where an error says that somebody is not let in, and gives the
// error. It is called after the transaction that the error has taken back. Why is what was not
// accepted; where it was the network, the entry says that. Other errors are no refusals.
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
	from := domain.OriginOf(ctx)
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
	return tx.AddAuditEntry(ctx, e)
}

// auditMembers notes who came into a group and who left it, since members may change what is
// the group's.
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

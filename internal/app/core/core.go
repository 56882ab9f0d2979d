// Package core is the common base of all topics: the store, the clock and the site's URLs; shared rules, such as those
// for names, addresses and locks; limits of attempts; the audit log and events.
package core

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/store"
)

// Core is embedded in every topic.
type Core struct {
	Store   *store.Store
	Now     func() time.Time
	SiteURL string // absolute, without a trailing slash
	BaseURL string // absolute, without a trailing slash

	// SignOnOnly allows signing in only through the provider of single sign-on.
	SignOnOnly bool
}

// NoteTimeout limits recording the result of an attempt after the job's own time is up.
const NoteTimeout = 5 * time.Second

// Note runs a short transaction that records the result of an attempt, even if the time of its job or request is up.
func (a *Core) Note(ctx context.Context, write func(ctx context.Context, tx *store.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), NoteTimeout)
	defer cancel()
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return write(ctx, tx) })
}

// CheckLocal refuses passwords, passkeys and sign-up forms of this site if they are disabled.
func (a *Core) CheckLocal() error {
	if a.SignOnOnly {
		return domain.NewForbidden("Passwords and passkeys open nothing here: sign in by single sign-on")
	}
	return nil
}

// Forbidden returns the error for an actor who sees a thing but may not do something with it.
func Forbidden(what string) error { return domain.NewForbidden("You may not " + what) }

// Rendered renders Markdown. It returns nil for nil and for a text that renders to nothing.
func Rendered(markdown *string) *domain.Text {
	if markdown == nil || *markdown == "" {
		return nil
	}
	t := markup.Render(*markdown)
	return &domain.Text{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain}
}

// Literal renders a plain text unchanged. It returns nil for "".
func Literal(text string) *domain.Text { return Rendered(new(markup.Escape(text))) }

// NonEmpty returns nil for a missing or empty string.
func NonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// Replace sets a field only if the value differs, so that a struct compares equal to its copy if nothing changes.
func Replace[T comparable](field **T, value *T) {
	if *field == nil || value == nil || **field != *value {
		*field = value
	}
}

// Patch is a field of an update. Set reports whether it was given; Value is nil for null.
type Patch struct {
	Set   bool
	Value *string
}

// Audit records an actor's action in the audit log, in the same transaction. Without a user, the context determines
// whether the command line, a guest or the server acted. details may be nil, and must not contain secrets.
func (a *Core) Audit(ctx context.Context, tx *store.Tx, actor domain.Actor, act domain.Act, about domain.AuditTarget, details map[string]any) error {
	if actor.ApplicationID != 0 || actor.TokenID != 0 {
		details = maps.Clone(details)
		if details == nil {
			details = map[string]any{}
		}
	}
	if actor.ApplicationID != 0 {
		details["application"] = actor.ApplicationID
	}
	if actor.TokenID != 0 {
		name, err := tx.Account().TokenName(ctx, actor.TokenID)
		if err != nil && domain.KindOf(err) != domain.NotFound { // this action may have deleted it
			return err
		}
		details["token"], details["token_name"] = actor.TokenID, name
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
	return a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
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

// LockedChannel locks a channel that the actor sees and reads its current state. It returns NotFound without waiting for
// the lock if the actor does not see it.
func LockedChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	return lockedBy(ctx, tx, actor, ref, func(id domain.ChannelID) error { return tx.Channels().LockChannels(ctx, id) })
}

// LockedWithParents is LockedChannel for a change that also affects the channels that contain it.
func LockedWithParents(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	return lockedBy(ctx, tx, actor, ref, func(id domain.ChannelID) error { return tx.Channels().LockWithParents(ctx, id) })
}

func lockedBy(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref, lock func(domain.ChannelID) error) (domain.Channel, error) {
	c, err := tx.Channels().Channel(ctx, actor.UserID, ref)
	if err != nil || !tx.Channels().Locks() {
		return c, err
	}
	if err := lock(c.ID); err != nil {
		return domain.Channel{}, err
	}
	return tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(c.ID)})
}

// OnceKept is how long keys are kept.
const OnceKept = Day

// OnceKey is a client's key for one request to create something, which it sends again when it repeats the request; ""
// for none. Each user has their own keys.
type OnceKey string

// Check checks the form of a key.
func (k OnceKey) Check(f *domain.Faults) { f.Text("once", string(k), domain.MaxOnceKey) }

// Once creates a thing of a kind in a transaction, unless the user already did so with the same key: then it returns the
// existing thing, and again is true. The key and the thing are committed together, so neither can be lost. Concurrent
// requests with the key wait. Call it before taking any lock. A key of another kind of thing is a Conflict.
func Once(ctx context.Context, tx *store.Tx, user domain.UserID, key OnceKey, kind string, now time.Time, create func() (int64, error)) (id int64, again bool, err error) {
	if key == "" {
		id, err = create()
		return id, false, err
	}
	sum := sha256.Sum256([]byte(strconv.FormatInt(int64(user), 10) + "\n" + string(key)))
	ours, was, id, err := tx.Redo().ClaimOnce(ctx, sum[:], nil, user, now, now.Add(OnceKept))
	switch {
	case err != nil:
		return 0, false, err
	case !ours && was != kind:
		return 0, false, domain.Wrap(domain.Conflict, "This was sent before, and made something else", nil)
	case !ours:
		return id, true, nil
	}
	if id, err = create(); err != nil {
		return 0, false, err
	}
	return id, false, tx.Redo().KeepOnce(ctx, sum[:], kind, id)
}

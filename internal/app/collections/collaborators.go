package collections

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Collaborators lists the collaborators of a channel that the actor sees.
func (a *Collections) Collaborators(ctx context.Context, actor domain.Actor, ref domain.Ref) (all []domain.Principal, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		full, err := fullChannel(ctx, v.Queries, actor, ref)
		all = full.Collaborators
		return err
	})
	return all, err
}

// validCollaborators checks the users and groups of a request.
func validCollaborators(all ...domain.PrincipalRef) error {
	var f domain.Faults
	if f.Count("collaborator_ids", len(all), domain.MaxCollaborators) {
		for _, who := range all {
			domain.Among(&f, "type", who.Type, domain.TypeUser, domain.TypeGroup)
		}
	}
	return f.Err()
}

// AddCollaborator adds a user or group to the collaborators of a channel of the actor, and reports whether it is new.
func (a *Collections) AddCollaborator(ctx context.Context, actor domain.Actor, ref domain.Ref, who domain.PrincipalRef) (p domain.Principal, added bool, err error) {
	if err := validCollaborators(who); err != nil {
		return p, false, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := manageCollaborators(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		now := a.Now()
		if p, added, err = addCollaborator(ctx, tx, c, who, now); err != nil || !added {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.CollaboratorAdded{Channel: c, Who: who})
	})
	return p, added, err
}

// AddCollaborators adds several users, all or none, and returns all collaborators of the channel. The error names each
// user that does not exist.
func (a *Collections) AddCollaborators(ctx context.Context, actor domain.Actor, ref domain.Ref, users ...domain.PrincipalRef) (all []domain.Principal, err error) {
	if err := validCollaborators(users...); err != nil {
		return nil, err
	}
	return a.changeCollaborators(ctx, actor, ref, func(tx *store.Tx, c domain.Channel, now time.Time) ([]domain.Event, error) {
		return addCollaborators(ctx, tx, c, users, now)
	})
}

// SetCollaborators replaces the users who collaborate on a channel, possibly by none, and returns all of its
// collaborators. Groups stay.
func (a *Collections) SetCollaborators(ctx context.Context, actor domain.Actor, ref domain.Ref, users []domain.PrincipalRef) (all []domain.Principal, err error) {
	if err := validUsers(users); err != nil {
		return nil, err
	}
	return a.changeCollaborators(ctx, actor, ref, func(tx *store.Tx, c domain.Channel, now time.Time) ([]domain.Event, error) {
		were, err := tx.Membership().Collaborators(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		var removed []domain.Event
		for _, p := range were {
			if p.Type != domain.TypeUser || slices.Contains(users, p.PrincipalRef) {
				continue
			}
			was, err := tx.Membership().RemoveCollaborator(ctx, c.ID, p.PrincipalRef)
			if err != nil {
				return nil, err
			}
			if was {
				removed = append(removed, domain.CollaboratorRemoved{Channel: c, Who: p.PrincipalRef})
			}
		}
		added, err := addCollaborators(ctx, tx, c, users, now)
		return append(removed, added...), err
	})
}

// validUsers checks a list of users, which may be empty.
func validUsers(all []domain.PrincipalRef) error {
	if len(all) == 0 {
		return nil
	}
	var f domain.Faults
	for _, who := range all {
		if who.Type == domain.TypeGroup {
			domain.Among(&f, "type", who.Type, domain.TypeUser)
			return f.Err()
		}
	}
	return validCollaborators(all...)
}

// changeCollaborators runs a change of the collaborators of the actor's channel, publishes the result, and returns the
// new collaborators.
func (a *Collections) changeCollaborators(ctx context.Context, actor domain.Actor, ref domain.Ref,
	change func(tx *store.Tx, c domain.Channel, now time.Time) ([]domain.Event, error)) (all []domain.Principal, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := manageCollaborators(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		now := a.Now()
		events, err := change(tx, c, now)
		if err != nil {
			return err
		}
		if all, err = tx.Membership().Collaborators(ctx, c.ID); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, events...)
	})
	return all, err
}

// addCollaborators adds users to a channel that manageCollaborators has locked. NotFound names each user that does not
// exist.
func addCollaborators(ctx context.Context, tx *store.Tx, c domain.Channel, users []domain.PrincipalRef, now time.Time) (events []domain.Event, err error) {
	missing := domain.NewNotFound()
	for _, who := range users {
		_, added, err := addCollaborator(ctx, tx, c, who, now)
		if domain.KindOf(err) == domain.NotFound {
			missing.Fields = append(missing.Fields, domain.FieldError{Path: "collaborator_ids", Code: domain.FieldUnknown,
				Text: fmt.Sprintf("there is no user %d", who.ID)})
			continue
		}
		if err != nil {
			return nil, err
		}
		if added {
			events = append(events, domain.CollaboratorAdded{Channel: c, Who: who})
		}
	}
	if missing.Fields != nil {
		return nil, missing
	}
	return events, nil
}

// manageCollaborators locks a channel that the actor must own.
func manageCollaborators(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	c, err := core.LockedChannel(ctx, tx, actor, ref)
	if err == nil && !domain.CanOwn(actor, c) {
		err = core.Forbidden("manage the collaborators of this channel")
	}
	return c, err
}

// addCollaborator adds a user or group to a channel that manageCollaborators has locked, and reports whether it is new.
func addCollaborator(ctx context.Context, tx *store.Tx, c domain.Channel, who domain.PrincipalRef, now time.Time) (p domain.Principal, added bool, err error) {
	if who.Type == domain.TypeGroup { // it must not be deleted in the meantime
		if err := tx.Groups().LockGroup(ctx, domain.GroupID(who.ID)); err != nil {
			return p, false, err
		}
	}
	if p, err = tx.Principals().Principal(ctx, who); err != nil {
		return p, false, err
	}
	if c.Owner.PrincipalRef == who {
		return p, false, domain.NewUnprocessable("The owner of a channel cannot be its collaborator")
	}
	added, err = tx.Membership().AddCollaborator(ctx, c.ID, who, now)
	return p, added, err
}

// RemoveCollaborators removes collaborators and ignores anyone else. The channel's owner may remove anyone, and everyone
// themselves.
func (a *Collections) RemoveCollaborators(ctx context.Context, actor domain.Actor, ref domain.Ref, all ...domain.PrincipalRef) error {
	if err := validCollaborators(all...); err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := core.LockedChannel(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		var events []domain.Event
		for _, who := range all {
			if !domain.CanOwn(actor, c) && who != domain.UserRef(actor.UserID) {
				return core.Forbidden("manage the collaborators of this channel")
			}
			was, err := tx.Membership().RemoveCollaborator(ctx, c.ID, who)
			if err != nil {
				return err
			}
			if was {
				events = append(events, domain.CollaboratorRemoved{Channel: c, Who: who})
			}
		}
		return core.Publish(ctx, tx, actor.UserID, a.Now(), events...)
	})
}

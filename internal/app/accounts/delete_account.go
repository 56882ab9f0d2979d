package accounts

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// DeletionPreview describes what deleting an account would do.
type DeletionPreview struct {
	Channels      int64          // the account's own, deleted
	Blocks        int64          // in no channel of others, deleted
	SharedBlocks  int64          // in channels of others, kept without an author
	Comments      int64          // deleted
	GroupsHanded  []domain.Group // owned, handed to the longest-standing member
	GroupsDeleted []domain.Group // owned, with no other member
	OnlyOperator  bool           // the account cannot be deleted yet
}

// PreviewDeletion returns what deleting the actor's account would do.
func (a *Accounts) PreviewDeletion(ctx context.Context, actor domain.Actor) (f DeletionPreview, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if f, err = PreviewDeletionOf(ctx, v, actor.UserID); err != nil || !f.OnlyOperator {
			return err
		}
		f.OnlyOperator, err = v.Users().OtherAccounts(ctx, actor.UserID)
		return err
	})
	return f, err
}

// PreviewDeletionOf returns what deleting a user's account would do. OnlyOperator is also set if nobody else has an account.
func PreviewDeletionOf(ctx context.Context, v *store.Snapshot, id domain.UserID) (f DeletionPreview, err error) {
	l, err := v.Users().Legacy(ctx, id)
	if err != nil {
		return f, err
	}
	f = DeletionPreview{Channels: l.Channels, Blocks: l.Blocks, SharedBlocks: l.SharedBlocks, Comments: l.Comments}
	for _, g := range l.Groups {
		if g.Users > 1 {
			f.GroupsHanded = append(f.GroupsHanded, g)
		} else {
			f.GroupsDeleted = append(f.GroupsDeleted, g)
		}
	}
	operators, err := v.Users().Operators(ctx)
	f.OnlyOperator = MayLose(operators, id) != nil
	return f, err
}

// onlyOperator reports whether other accounts exist and none of them is an operator.
func onlyOperator(ctx context.Context, q store.Queries, operators []domain.UserID, id domain.UserID) (bool, error) {
	if MayLose(operators, id) == nil {
		return false, nil
	}
	return q.Users().OtherAccounts(ctx, id)
}

// DeleteAccount deletes the actor's account if slug is its slug and the session was confirmed
// recently. The account is hidden at once, with its channels and everything else that others see
// of it; a job deletes the rest. Errors name `slug`. The only operator gets Unprocessable while
// other accounts exist.
func (a *Accounts) DeleteAccount(ctx context.Context, actor domain.Actor, s domain.Session, slug string) error {
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil {
		return err
	}
	if slug != u.Slug {
		return domain.InvalidField("slug", domain.FieldIncorrect, "is not your short name")
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		return a.EndAccount(ctx, tx, actor, actor.UserID, func(operators []domain.UserID) (store.Credentials, error) {
			c, err := a.LockProved(ctx, tx, actor, s)
			if err != nil {
				return c, err
			}
			only, err := onlyOperator(ctx, tx.Queries, operators, actor.UserID)
			if err == nil && only {
				err = domain.NewUnprocessable("Make somebody else an operator first")
			}
			return c, err
		})
	})
}

// EndAccount deletes an account. It first locks everything else, including the operators, and then calls locked to lock
// the row of the account and decide whether it may be deleted.
func (a *Accounts) EndAccount(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.UserID, locked func(operators []domain.UserID) (store.Credentials, error)) error {
	if err := a.addErasure(ctx, tx, actor, id, a.Now()); err != nil { // before anything is gone
		return err
	}
	gone := clearing{a, id}
	if err := gone.withAccount(ctx, tx); err != nil { // before users, which are locked last
		return err
	}
	operators, err := tx.Users().LockOperators(ctx)
	if err != nil {
		return err
	}
	c, err := locked(operators)
	if err != nil {
		return err
	}
	// No channel can be created for the account any more. One that was created since the first pass is locked out of
	// order.
	if err := gone.endAll(ctx, tx, ending{store.RemainingChannels, gone.deleteChannel}); err != nil {
		return err
	}
	if err := gone.unfollow(ctx, tx); err != nil {
		return err
	}
	now := a.Now()
	if err := a.Audit(ctx, tx, actor, domain.ActAccountDeleted, domain.AboutUser(c.User), nil); err != nil {
		return err
	}
	if err := tx.Users().AnonymizeAccount(ctx, c.User, now); err != nil {
		return err
	}
	if err := core.Publish(ctx, tx, id, now, domain.UserDeleted{User: id}); err != nil {
		return err
	}
	if err := tx.Enqueue(ctx, ClearAccount{User: id}, jobs.For(int64(id))); err != nil {
		return err
	}
	return tx.Enqueue(ctx, ClearAccount{User: id}, jobs.At(now.Add(clearAgain)), jobs.For(int64(id)))
}

// clearAgain is the time after a deletion at which the job runs again. It deletes what concurrent requests and jobs
// created, which do not check that their actor still exists.
const clearAgain = time.Hour

// MayLose returns an error if the user is the only one of the locked operators.
func MayLose(operators []domain.UserID, id domain.UserID) error {
	if len(operators) == 1 && operators[0] == id {
		return domain.NewUnprocessable("The server would be left without an operator")
	}
	return nil
}

package accounts

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ClearAccount is the job that deletes the remaining data of a deleted account.
type ClearAccount struct {
	User domain.UserID `json:"user_id"`
}

// Kind implements jobs.Args.
func (ClearAccount) Kind() string { return "delete_account" }

// clearing is the deletion of one account's data.
type clearing struct {
	*Accounts
	user domain.UserID
}

// ClearAccount deletes the remaining data of a deleted account (docs/decisions.md, Accounts). It may stop at any point
// and run again, since it finds the remaining rows in the database.
func (a *Accounts) ClearAccount(ctx context.Context, user domain.UserID) error {
	deleted, err := a.Store.Users().IsDeleted(ctx, user)
	if err != nil || !deleted {
		return err
	}
	c := clearing{a, user}
	for _, step := range append(c.deletions(),
		ending{store.RemainingComments, c.deleteComment},
		ending{store.RemainingTransitions, nil},
		ending{store.RemainingSnapshots, c.deleteSnapshot},
		ending{store.RemainingBlocks, c.deleteBlock}) {
		if err := c.each(ctx, step); err != nil {
			return err
		}
	}
	if err := c.endFollows(ctx); err != nil {
		return err
	}
	if err := c.purgeTrash(ctx); err != nil {
		return err
	}
	if err := a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Activity().DeleteUserActivities(ctx, user, core.SweepBatch) }); err != nil {
		return err
	}
	if err := a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Origins().ForgetOrigins(ctx, user, core.SweepBatch) }); err != nil {
		return err
	}
	err = a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Activity().EmptyInbox(ctx, user, core.SweepBatch) })
	if err != nil {
		return err
	}
	for last, next := int64(0), int64(1); next != 0; last = next {
		err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			next, err = tx.Changes().ForgetDetails(ctx, user, last, changesAtOnce)
			return err
		})
		if err != nil {
			return err
		}
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Account().ErasureDone(ctx, user, a.Now()) })
}

// changesAtOnce is how many changes are looked at in one transaction, which other writers wait for on SQLite.
const changesAtOnce = 2000

// purgeTrash deletes what the account has in Trash, and its comments and followings in the Trash of others.
func (c clearing) purgeTrash(ctx context.Context) error {
	err := c.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Trash().ForgetTrash(ctx, c.user, core.SweepBatch) })
	if err != nil {
		return err
	}
	err = c.InBatches(ctx, func(tx *store.Tx) (int, error) {
		return tx.Trash().ForgetTrashedComments(ctx, c.user, core.SweepBatch)
	})
	if err != nil {
		return err
	}
	err = c.InBatches(ctx, func(tx *store.Tx) (int, error) {
		return tx.Activity().ForgetTrashedFollows(ctx, c.user, core.SweepBatch)
	})
	if err != nil {
		return err
	}
	return c.collections.PurgeTrash(ctx)
}

// ending deletes things of one kind.
type ending struct {
	what store.Remains
	end  func(ctx context.Context, tx *store.Tx, id int64) error
}

// deletions returns what would show others an account without an owner, in the order of deletion.
func (c clearing) deletions() []ending {
	return []ending{
		{store.RemainingGroups, c.bequeath}, // deleting a group without other members leaves its channels to the next step
		{store.RemainingMemberships, c.leave},
		{store.RemainingInvitations, c.uninvite},
		{store.RemainingChannels, c.deleteChannel},
		{store.RemainingCollaborations, c.stopHelping},
	}
}

// clearedAtOnce is the number of comments and follows by the account that are deleted in the same transaction. The job
// deletes the rest.
const clearedAtOnce = 1000

// withAccount deletes what others would see of an account in the transaction that deletes it. A live channel or a
// counted row never has a deleted owner.
func (c clearing) withAccount(ctx context.Context, tx *store.Tx) error {
	for _, step := range c.deletions() {
		if err := c.endAll(ctx, tx, step); err != nil {
			return err
		}
	}
	if err := tx.Comments().DeleteComments(ctx, c.user, clearedAtOnce); err != nil {
		return err
	}
	_, err := tx.Activity().DeleteUserActivities(ctx, c.user, core.SweepBatch) // they count as unread notifications
	return err
}

// endAll deletes all things of a kind in one transaction.
func (c clearing) endAll(ctx context.Context, tx *store.Tx, step ending) error {
	for last := int64(0); ; {
		ids, err := tx.Users().Remaining(ctx, step.what, c.user, last, core.ClearBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			last = id
			if err := step.end(ctx, tx, id); err != nil && domain.KindOf(err) != domain.NotFound { // deleted by somebody else
				return err
			}
		}
	}
}

// unfollow deletes the follows of the account, and up to clearedAtOnce follows by it.
func (c clearing) unfollow(ctx context.Context, tx *store.Tx) error {
	if err := tx.Activity().EndFollows(ctx, domain.Subject{Type: domain.SubjectUser, ID: int64(c.user)}); err != nil {
		return err
	}
	all, err := tx.Activity().Followings(ctx, c.user, clearedAtOnce)
	if err != nil {
		return err
	}
	for _, what := range all {
		if _, err := tx.Activity().Unfollow(ctx, c.user, what); err != nil {
			return err
		}
	}
	return nil
}

// each deletes all things of a kind, in the order of their ids.
func (c clearing) each(ctx context.Context, step ending) error {
	for last := int64(0); ; {
		ids, err := c.Store.Users().Remaining(ctx, step.what, c.user, last, core.ClearBatch)
		if err != nil {
			return err
		}
		for _, id := range ids {
			last = id
			if step.what == store.RemainingTransitions { // it determines which blocks are in no channel
				err = c.collections.ApplyAll(ctx, domain.ChannelID(id))
			} else {
				err = c.Store.InTx(ctx, func(tx *store.Tx) error { return step.end(ctx, tx, id) })
			}
			if err != nil && domain.KindOf(err) != domain.NotFound { // deleted by somebody else
				return err
			}
		}
		if len(ids) < core.ClearBatch {
			return nil
		}
	}
}

// bequeath hands a group to its longest-standing member. A group without other members is deleted, and its channels go
// to the account.
func (c clearing) bequeath(ctx context.Context, tx *store.Tx, id int64) error {
	group := domain.GroupID(id)
	if err := tx.Groups().LockGroupWithChannels(ctx, group); err != nil {
		return err
	}
	g, err := tx.Groups().Group(ctx, 0, domain.Ref{ID: id})
	if err != nil || g.Owner.PrincipalRef != domain.UserRef(c.user) {
		return err
	}
	for {
		heir, err := tx.Membership().NextOwner(ctx, group)
		if err != nil {
			return err
		}
		if heir == 0 {
			now := c.Now()
			if err := tx.Groups().DeleteGroup(ctx, g, now); err != nil {
				return err
			}
			if err := core.Publish(ctx, tx, c.user, now, domain.GroupDeleted{Group: group}); err != nil {
				return err
			}
			return c.endAll(ctx, tx, ending{store.RemainingChannels, c.deleteChannel})
		}
		_, err = tx.Users().LockUser(ctx, heir) // it must not be deleted in the meantime
		if domain.KindOf(err) == domain.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		if err := tx.Users().HandGroupOver(ctx, group, heir); err != nil {
			return err
		}
		if _, err = tx.Membership().RemoveMember(ctx, group, c.user); err != nil {
			return err
		}
		if err := core.Publish(ctx, tx, c.user, c.Now(), domain.GroupChanged{Group: group}); err != nil {
			return err
		}
		return c.Audit(ctx, tx, domain.Actor{UserID: c.user}, domain.ActGroupHandedOver, domain.AuditTarget{Kind: string(domain.TypeGroup), ID: int64(group)},
			map[string]any{"user": heir})
	}
}

func (c clearing) leave(ctx context.Context, tx *store.Tx, id int64) error {
	if err := tx.Groups().LockGroup(ctx, domain.GroupID(id)); err != nil {
		return err
	}
	_, err := tx.Membership().RemoveMember(ctx, domain.GroupID(id), c.user)
	return err
}

func (c clearing) uninvite(ctx context.Context, tx *store.Tx, id int64) error {
	if err := tx.Groups().LockGroup(ctx, domain.GroupID(id)); err != nil {
		return err
	}
	return tx.Membership().ForgetInvitations(ctx, domain.GroupID(id), c.user)
}

func (c clearing) deleteChannel(ctx context.Context, tx *store.Tx, id int64) error {
	if err := tx.Channels().LockWithParents(ctx, domain.ChannelID(id)); err != nil {
		return err
	}
	channel, err := tx.Users().ChannelOf(ctx, c.user, domain.ChannelID(id))
	if err != nil {
		return err
	}
	now := c.Now()
	if err := tx.Channels().DeleteChannel(ctx, channel, now); err != nil {
		return err
	}
	return core.Publish(ctx, tx, c.user, now, domain.ChannelDeleted{Channel: channel})
}

func (c clearing) stopHelping(ctx context.Context, tx *store.Tx, id int64) error {
	if err := tx.Channels().LockChannels(ctx, domain.ChannelID(id)); err != nil {
		return err
	}
	_, err := tx.Membership().RemoveCollaborator(ctx, domain.ChannelID(id), domain.UserRef(c.user))
	return err
}

func (c clearing) deleteComment(ctx context.Context, tx *store.Tx, id int64) error {
	comment, err := tx.Comments().Comment(ctx, domain.CommentID(id))
	if err != nil {
		return err
	}
	if err := tx.Blocks().LockBlock(ctx, comment.BlockID); err != nil {
		return err
	}
	if comment, err = tx.Comments().Comment(ctx, comment.ID); err != nil {
		return err
	}
	return tx.Comments().DeleteComment(ctx, comment)
}

func (c clearing) deleteSnapshot(ctx context.Context, tx *store.Tx, id int64) error {
	return tx.Blobs().DeleteSnapshot(ctx, domain.SnapshotID(id))
}

// deleteBlock deletes a block if it is still in no live channel.
func (c clearing) deleteBlock(ctx context.Context, tx *store.Tx, id int64) error {
	conns, err := tx.Blocks().LockBlockInChannels(ctx, domain.BlockID(id))
	if err != nil {
		return err
	}
	orphan, err := tx.Users().IsOrphan(ctx, c.user, domain.BlockID(id))
	if err != nil || !orphan {
		return err
	}
	for _, conn := range conns { // in deleted channels
		if err := tx.Connections().Disconnect(ctx, conn, c.Now()); err != nil {
			return err
		}
	}
	return tx.Blocks().DeleteBlock(ctx, domain.BlockID(id), c.Now())
}

// endFollows deletes the follows of the account and by it.
func (c clearing) endFollows(ctx context.Context) error {
	me := domain.Subject{Type: domain.SubjectUser, ID: int64(c.user)}
	if err := c.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Activity().EndFollows(ctx, me) }); err != nil {
		return err
	}
	for {
		all, err := c.Store.Activity().Followings(ctx, c.user, core.ClearBatch)
		if err != nil || len(all) == 0 {
			return err
		}
		for _, what := range all {
			err := c.Store.InTx(ctx, func(tx *store.Tx) error {
				_, err := tx.Activity().Unfollow(ctx, c.user, what)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}

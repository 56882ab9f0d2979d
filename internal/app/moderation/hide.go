package moderation

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
)

// Types of the store, for the transports.
type (
	HiddenSubject = moderation.HiddenSubject
	HiddenID      = moderation.HidingID
)

// A further kind of notice: the thing is no longer hidden.
const shown NoticeKind = "shown"

// hideBatch is the number of connections or comments per transaction.
const hideBatch = 50

// HideInput is a thing that an operator hides.
type HideInput struct {
	About domain.Subject
	Text  string // reasons for the owner of the thing
}

// Validate checks everything except the existence of the thing. Errors name `type`, `id` and `text`.
func (in HideInput) Validate() error {
	var f domain.Faults
	domain.Among(&f, "type", in.About.Type, domain.SubjectBlock, domain.SubjectChannel, domain.SubjectComment)
	f.Positive("id", in.About.ID)
	f.Text("text", in.Text, domain.MaxReportText)
	return f.Err()
}

// Hide hides a block, channel or comment from everybody except its owner until an operator shows it again, and notifies
// the owner. Something already hidden is a Conflict.
func (a *Moderation) Hide(ctx context.Context, by operating.Operator, in HideInput) (h HiddenSubject, err error) {
	if err := in.Validate(); err != nil {
		return h, err
	}
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		t, err := readAny(ctx, tx.Queries, in.About)
		if err != nil {
			return err
		}
		if h, err = a.hide(ctx, tx, by.Actor(), t, now); err != nil {
			return err
		}
		return a.notify(ctx, tx, by.Actor(), Notice{To: h.OwnerID, What: NoticeKind(Hidden), About: h.About, Words: in.Text, CreatedAt: now})
	})
	return h, err
}

// hide hides a thing at once, except for a block in many channels, which a job finishes.
func (a *Moderation) hide(ctx context.Context, tx *store.Tx, actor domain.Actor, t SubjectDetails, now time.Time) (h HiddenSubject, err error) {
	what := domain.Subject{Type: domain.SubjectType(t.About.Kind), ID: t.About.ID}
	h = HiddenSubject{About: t.About, OwnerID: t.Owner, CreatedAt: now}
	switch what.Type {
	case domain.SubjectBlock:
		h.Block = domain.BlockID(what.ID)
	case domain.SubjectComment:
		h.Block = t.What.Comment.BlockID
	case domain.SubjectChannel:
		if err := tx.Channels().LockWithParents(ctx, domain.ChannelID(what.ID)); err != nil {
			return h, err
		}
		if t, err = readAny(ctx, tx.Queries, what); err != nil {
			return h, err
		}
		h.Was, h.OwnerID = t.What.Channel.Visibility, t.Owner
	default:
		return h, domain.NewUnprocessable("A block, a channel or a comment can be hidden")
	}
	if h, err = tx.Hiding().RecordHidden(ctx, h); err != nil {
		return h, err
	}
	switch what.Type {
	case domain.SubjectBlock:
		err = a.hideBlock(ctx, tx, actor.UserID, h, now)
	case domain.SubjectComment:
		err = a.hideComment(ctx, tx, actor.UserID, h, moderation.HiddenComment{Comment: domain.CommentID(what.ID), Block: t.What.Comment.BlockID}, now)
	case domain.SubjectChannel:
		err = a.setVisibility(ctx, tx, actor.UserID, h, *t.What.Channel, domain.Private, now)
	}
	if err != nil {
		return h, err
	}
	return h, a.Audit(ctx, tx, actor, domain.ActHidden, h.About, nil)
}

// hideBlock puts the first connections of a block away, and leaves the rest to a job.
func (a *Moderation) hideBlock(ctx context.Context, tx *store.Tx, by domain.UserID, h HiddenSubject, now time.Time) error {
	for range 2 { // the second run finds that nothing is left
		n, err := a.putAway(ctx, tx, by, h.ID, domain.BlockID(h.About.ID), 0, now)
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.Hiding().SetHidden(ctx, h.ID, moderation.Hidden)
		}
	}
	return enqueue(ctx, tx, h)
}

// putAway removes a block from some of the live channels that it is in, except those of one user, and returns their
// number. 0 means that none is left, and that none can be added before the transaction ends.
func (a *Moderation) putAway(ctx context.Context, tx *store.Tx, by domain.UserID, under HiddenID, block domain.BlockID, except domain.UserID, now time.Time) (int, error) {
	channels, err := tx.Hiding().ChannelsWith(ctx, block, except, hideBatch)
	if err != nil {
		return 0, err
	}
	if err := tx.Channels().LockChannels(ctx, channels...); err != nil {
		return 0, err
	}
	if err := tx.Blocks().LockBlock(ctx, block); err != nil {
		return 0, err
	}
	if len(channels) == 0 { // one may have been added before the block was locked
		channels, err = tx.Hiding().ChannelsWith(ctx, block, except, hideBatch)
		if err == nil {
			err = tx.Channels().LockChannels(ctx, channels...)
		}
		if err != nil {
			return 0, err
		}
	}
	there, err := tx.Contents().ConnectionsOf(ctx, domain.BlockRef(block), channels...)
	if err != nil {
		return 0, err
	}
	for _, channel := range channels {
		if id, ok := there[channel]; ok {
			if err := a.putOneAway(ctx, tx, by, under, id, now); err != nil {
				return 0, err
			}
		}
	}
	return len(channels), nil
}

// putOneAway removes a connection from its locked channel.
func (a *Moderation) putOneAway(ctx context.Context, tx *store.Tx, by domain.UserID, under HiddenID, id domain.ConnectionID, now time.Time) error {
	c, err := tx.Contents().Connection(ctx, id)
	if err != nil {
		return err
	}
	if err := tx.Hiding().PutAway(ctx, under, c); err != nil {
		return err
	}
	return core.Publish(ctx, tx, by, now, domain.Disconnected{Connection: c})
}

// hideComment puts a comment away, whether it is visible or already put away with its author's things.
func (a *Moderation) hideComment(ctx context.Context, tx *store.Tx, by domain.UserID, h HiddenSubject, c moderation.HiddenComment, now time.Time) error {
	if err := tx.Blocks().LockBlock(ctx, c.Block); err != nil {
		return err
	}
	if err := a.putCommentAway(ctx, tx, by, h.ID, c, now); domain.KindOf(err) == domain.NotFound {
		err = tx.Hiding().KeepCommentFor(ctx, c.Comment, h.ID)
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	return tx.Hiding().SetHidden(ctx, h.ID, moderation.Hidden)
}

// putCommentAway puts a comment of a locked block away.
func (a *Moderation) putCommentAway(ctx context.Context, tx *store.Tx, by domain.UserID, under HiddenID, c moderation.HiddenComment, now time.Time) error {
	was, err := tx.Comments().Comment(ctx, c.Comment)
	if err != nil {
		return err
	}
	if err := tx.Hiding().KeepComment(ctx, under, c); err != nil {
		return err
	}
	return core.Publish(ctx, tx, by, now, domain.CommentDeleted{Comment: was})
}

// setVisibility sets the visibility of a hidden channel, which is locked with its parent channels.
func (a *Moderation) setVisibility(ctx context.Context, tx *store.Tx, by domain.UserID, h HiddenSubject, was domain.Channel, v domain.Visibility, now time.Time) error {
	is := was
	if is.Visibility = v; is != was {
		if err := tx.Channels().UpdateChannel(ctx, was, is, store.Unchanged); err != nil {
			return err
		}
		if err := core.Publish(ctx, tx, by, now, domain.ChannelChanged{Was: was, Is: is}); err != nil {
			return err
		}
	}
	return tx.Hiding().SetHidden(ctx, h.ID, moderation.Hidden)
}

// Show shows a hidden thing again as before, and notifies its owner. For a person, it shows everything that was hidden
// with their suspension; they stay suspended. It returns NotFound if nothing is hidden.
func (a *Moderation) Show(ctx context.Context, by operating.Operator, id HiddenID, text string) (h HiddenSubject, err error) {
	var f domain.Faults
	if f.Text("text", text, domain.MaxReportText); f != nil {
		return h, f.Err()
	}
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		if h, err = tx.Hiding().LockHidden(ctx, id); err != nil {
			return err
		}
		if h.State == moderation.Showing {
			return domain.NewNotFound()
		}
		if err := tx.Hiding().SetHidden(ctx, h.ID, moderation.Showing); err != nil {
			return err
		}
		if err := a.showSome(ctx, tx, by.Actor().UserID, h, now); err != nil {
			return err
		}
		if err := a.Audit(ctx, tx, by.Actor(), domain.ActShown, h.About, nil); err != nil {
			return err
		}
		return a.notify(ctx, tx, by.Actor(), Notice{To: h.OwnerID, What: shown, About: h.About, Words: text, CreatedAt: now})
	})
	return h, err
}

// showSome shows a thing at once, but leaves a block in many channels, and a person, to a job.
func (a *Moderation) showSome(ctx context.Context, tx *store.Tx, by domain.UserID, h HiddenSubject, now time.Time) error {
	switch domain.SubjectType(h.About.Kind) {
	case domain.SubjectChannel:
		return a.showChannel(ctx, tx, by, h, now)
	case domain.SubjectComment:
		if _, err := a.putCommentsBack(ctx, tx, h, now); err != nil {
			return err
		}
	case domain.SubjectBlock:
		if n, err := a.putBack(ctx, tx, h, now); err != nil {
			return err
		} else if n == hideBatch {
			return enqueue(ctx, tx, h)
		}
	default:
		return enqueue(ctx, tx, h)
	}
	return tx.Hiding().ForgetHidden(ctx, domain.Subject{Type: domain.SubjectType(h.About.Kind), ID: h.About.ID})
}

// showChannel restores the visibility of a channel, unless it was deleted or opened, and deletes the record of its
// hiding.
func (a *Moderation) showChannel(ctx context.Context, tx *store.Tx, by domain.UserID, h HiddenSubject, now time.Time) error {
	what := domain.Subject{Type: domain.SubjectChannel, ID: h.About.ID}
	if err := tx.Channels().LockWithParents(ctx, domain.ChannelID(what.ID)); err != nil {
		return err
	}
	t, err := readAny(ctx, tx.Queries, what)
	if err == nil && t.What.Channel.Visibility == domain.Private {
		err = a.setVisibility(ctx, tx, by, h, *t.What.Channel, h.Was, now)
	}
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return err
	}
	return tx.Hiding().ForgetHidden(ctx, what)
}

// enqueue queues the job for the rest of hiding or showing a thing.
func enqueue(ctx context.Context, tx *store.Tx, h HiddenSubject) error {
	return tx.Enqueue(ctx, moderation.ApplyHiding{ID: h.ID, By: h.OwnerID}, jobs.For(int64(h.OwnerID)))
}

// putBack restores some of the connections that were put away for a thing, and returns their number. Deleted items are
// not restored, and items that are also hidden for another thing stay hidden.
func (a *Moderation) putBack(ctx context.Context, tx *store.Tx, h HiddenSubject, now time.Time) (int, error) {
	kept, err := tx.Hiding().Kept(ctx, h.ID, hideBatch)
	if err != nil {
		return 0, err
	}
	var channels []domain.ChannelID
	var blocks []domain.BlockID
	for _, k := range kept {
		channels = append(channels, k.Channel)
		if k.Item.Type == domain.ItemChannel {
			channels = append(channels, domain.ChannelID(k.Item.ID))
		} else {
			blocks = append(blocks, domain.BlockID(k.Item.ID))
		}
	}
	if err := tx.Channels().LockChannels(ctx, channels...); err != nil {
		return 0, err
	}
	slices.Sort(blocks)
	for _, b := range slices.Compact(blocks) {
		if err := tx.Blocks().LockBlock(ctx, b); err != nil && domain.KindOf(err) != domain.NotFound {
			return 0, err
		}
	}
	for _, k := range kept {
		if err := a.putOneBack(ctx, tx, k, now); err != nil {
			return 0, err
		}
	}
	return len(kept), nil
}

func (a *Moderation) putOneBack(ctx context.Context, tx *store.Tx, k moderation.HiddenConnection, now time.Time) error {
	in, err := readAny(ctx, tx.Queries, domain.Subject{Type: domain.SubjectChannel, ID: int64(k.Channel)})
	trashed := false
	if domain.KindOf(err) == domain.NotFound {
		if trashed, err = tx.Trash().Waits(ctx, k.Channel); err == nil && !trashed {
			return tx.Hiding().DropKept(ctx, k.ID)
		}
	}
	var item SubjectDetails
	if err == nil {
		item, err = readAny(ctx, tx.Queries, domain.Subject{Type: domain.SubjectType(k.Item.Type), ID: k.Item.ID})
	}
	there := domain.ConnectionID(0)
	if err == nil {
		there, err = tx.Contents().ConnectionOf(ctx, k.Channel, k.Item)
	}
	if there != 0 || domain.KindOf(err) == domain.NotFound && err != nil {
		return tx.Hiding().DropKept(ctx, k.ID)
	}
	if err != nil {
		return err
	}
	other, err := tx.Hiding().StaysHidden(ctx, k)
	if err != nil {
		return err
	}
	if other != 0 {
		return tx.Hiding().KeepFor(ctx, k.ID, other)
	}
	if err := tx.Hiding().PutBack(ctx, k); err != nil || trashed {
		return err
	}
	event := domain.Connected{Channel: *in.What.Channel, Item: k.Item, Owner: domain.UserRef(item.Owner), Again: true}
	if c := item.What.Channel; c != nil {
		event.Owner, event.ItemPrivate = c.Owner.PrincipalRef, c.Visibility == domain.Private
	}
	return core.Publish(ctx, tx, k.User, now, event)
}

// putCommentsBack restores some of the comments that were put away for a thing, and returns their number.
func (a *Moderation) putCommentsBack(ctx context.Context, tx *store.Tx, h HiddenSubject, now time.Time) (int, error) {
	kept, err := tx.Hiding().KeptComments(ctx, h.ID, hideBatch)
	if err != nil {
		return 0, err
	}
	for _, c := range kept { // lock blocks in the order of their ids
		if err := tx.Blocks().LockBlock(ctx, c.Block); err != nil {
			return 0, err
		}
		if err := tx.Hiding().PutCommentBack(ctx, c); err != nil {
			return 0, err
		}
		b, err := tx.Blocks().AnyBlock(ctx, c.Block)
		if err != nil {
			return 0, err
		}
		if err := core.Publish(ctx, tx, h.OwnerID, now, domain.CommentCreated{Block: b, Comment: c.Comment, Brought: true}); err != nil {
			return 0, err
		}
	}
	return len(kept), nil
}

// HiddenSubjects lists hidden things for an operator, newest first, starting below an id; 0 means from the beginning. The
// things that were hidden with a person are part of the person's entry.
func (a *Moderation) HiddenSubjects(ctx context.Context, by operating.Operator, below HiddenID, limit int) (all []HiddenSubject, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		all, err = v.Hiding().HiddenSubjects(ctx, below, limit)
		return err
	})
	return all, err
}

// FindHidden reads the record of a hidden thing for an operator. It returns NotFound if the thing is not hidden.
func (a *Moderation) FindHidden(ctx context.Context, by operating.Operator, what domain.Subject) (h HiddenSubject, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		h, err = v.Hiding().HiddenSubject(ctx, what)
		return err
	})
	return h, err
}

// ToHide reads a thing that an operator is about to hide, regardless of its visibility.
func (a *Moderation) ToHide(ctx context.Context, by operating.Operator, what domain.Subject) (t SubjectDetails, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		t, err = readAny(ctx, v.Queries, what)
		return err
	})
	return t, err
}

// maxHidden is the maximum number of hidden things that MyHidden lists.
const maxHidden = 200

// MyHidden lists the actor's hidden things, newest first.
func (a *Moderation) MyHidden(ctx context.Context, actor domain.Actor) ([]HiddenSubject, error) {
	return a.Store.Hiding().HiddenOf(ctx, actor.UserID, maxHidden)
}

// HiddenFor reads the record of a hidden thing for those who still see it: its owner and, for a channel, its
// collaborators. It returns nil for others, and for a thing that is not hidden.
func (a *Moderation) HiddenFor(ctx context.Context, actor domain.Actor, what domain.Subject) (*HiddenSubject, error) {
	h, err := a.Store.Hiding().HiddenSubject(ctx, what)
	if err == nil && h.OwnerID != actor.UserID {
		_, err = readVisible(ctx, a.Store.Queries, actor.UserID, what)
	}
	if err == nil {
		return &h, nil
	}
	if domain.KindOf(err) == domain.NotFound {
		return nil, nil
	}
	return nil, err
}

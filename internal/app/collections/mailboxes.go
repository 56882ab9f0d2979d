package collections

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// keptMailKeys is how many ids of mails are kept of each mailbox, to recognise those that arrive again.
const keptMailKeys = 2000

// ChannelMailbox is a mailbox with the user who created it.
type ChannelMailbox struct {
	domain.Mailbox
	By domain.Principal
}

// Mailboxes lists the mailboxes of a channel for the people who may edit it.
func (a *Collections) Mailboxes(ctx context.Context, actor domain.Actor, ref domain.Ref) (all []ChannelMailbox, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channels().Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		if c.Role < domain.RoleCollaborator {
			return core.Forbidden("see the mail addresses of this channel")
		}
		boxes, err := v.Mailboxes().MailboxesOf(ctx, c.ID)
		if err != nil {
			return err
		}
		refs := make([]domain.PrincipalRef, len(boxes))
		for i, m := range boxes {
			refs[i] = domain.UserRef(m.UserID)
		}
		by, err := v.Contents().PrincipalsByID(ctx, refs)
		all = make([]ChannelMailbox, len(boxes))
		for i, m := range boxes {
			all[i] = ChannelMailbox{m, by[refs[i]]}
		}
		return err
	})
	return all, err
}

// AddMailbox creates a secret address of a channel that the actor may edit. Mails to it become blocks of the actor.
func (a *Collections) AddMailbox(ctx context.Context, actor domain.Actor, ref domain.Ref) (m domain.Mailbox, err error) {
	if a.MailDomain == "" {
		return m, domain.NewUnprocessable("This site does not receive mails")
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := channelToFeed(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		all, err := tx.Mailboxes().MailboxesOf(ctx, c.ID)
		if err != nil {
			return err
		}
		own, err := tx.Mailboxes().CountMailboxesBy(ctx, actor.UserID)
		switch {
		case err != nil:
			return err
		case len(all) >= domain.MaxMailboxes:
			return domain.NewUnprocessable(fmt.Sprintf("A channel can have at most %d mail addresses", domain.MaxMailboxes))
		case own >= domain.MaxOwnMailboxes:
			return domain.NewUnprocessable(fmt.Sprintf("You can create at most %d mail addresses in all, including those of channels in Trash", domain.MaxOwnMailboxes))
		}
		m = domain.Mailbox{Channel: c.ID, UserID: actor.UserID, Token: strings.ToLower(rand.Text()), CreatedAt: a.Now()}
		m.ID, err = tx.Mailboxes().AddMailbox(ctx, m)
		return err
	})
	return m, err
}

// RemoveMailbox deletes an address of a channel. The blocks stay.
func (a *Collections) RemoveMailbox(ctx context.Context, actor domain.Actor, ref domain.Ref, id domain.MailboxID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := channelToFeed(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		m, err := tx.Mailboxes().LockMailbox(ctx, id)
		if err == nil && m.Channel != c.ID {
			err = domain.NewNotFound()
		}
		if err != nil {
			return err
		}
		return tx.Mailboxes().DeleteMailbox(ctx, m.ID)
	})
}

// Mailbox returns the mailbox with a token. It returns NotFound for an unknown token, and Forbidden if the user of the mailbox
// may not add to its channel at present.
func (a *Collections) Mailbox(ctx context.Context, token string) (domain.Mailbox, error) {
	m, _, err := a.openMailbox(ctx, token)
	return m, err
}

// openMailbox returns the mailbox with a token, and its user.
func (a *Collections) openMailbox(ctx context.Context, token string) (m domain.Mailbox, by domain.Actor, err error) {
	if m, err = a.Store.Mailboxes().MailboxByToken(ctx, strings.ToLower(token)); err != nil {
		return m, by, err
	}
	users, err := a.Store.Users().UsersByID(ctx, []domain.UserID{m.UserID})
	if err != nil {
		return m, by, err
	}
	u, is := users[m.UserID]
	if !is || u.SuspendedAt != nil {
		return m, by, domain.NewForbidden("This address does not accept mails at present")
	}
	by = domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}
	c, err := a.Store.Channels().Channel(ctx, by.UserID, domain.Ref{ID: int64(m.Channel)})
	if domain.KindOf(err) == domain.NotFound || err == nil && !domain.CanAddTo(by, c) {
		err = domain.NewForbidden("This address does not accept mails at present")
	}
	return m, by, err
}

// MailInput is a received mail.
type MailInput struct {
	ID      string // the same if the mail is received again
	From    string
	Subject string
	Date    time.Time // zero if unknown
	Text    string    // Markdown
	HTML    []byte    // to save as a copy with its images; nil: none
}

// ReceiveMail adds a mail to the channel of a mailbox, unless the mailbox received it before. When it returns nil, the block
// is committed.
func (a *Collections) ReceiveMail(ctx context.Context, token string, in MailInput) error {
	m, by, err := a.openMailbox(ctx, token)
	if err != nil {
		return err
	}
	block, err := a.mailBlock(ctx, by, in)
	if err != nil {
		return err
	}
	var copied *domain.Snapshot
	if len(in.HTML) > 0 {
		if copied, err = a.content.KeepMail(ctx, by, in.HTML); err != nil {
			return err
		}
	}
	sum := sha256.Sum256([]byte(in.ID))
	key := int64(binary.BigEndian.Uint64(sum[:8]))
	to := target{Target: Target{Channel: domain.Ref{ID: int64(m.Channel)}}}
	return a.Store.InTxNear(ctx, to.Channel, func(tx *store.Tx) error {
		places, err := openTargets(ctx, tx, by, []target{to}, 0)
		if err != nil {
			return err
		}
		if _, err := tx.Mailboxes().LockMailbox(ctx, m.ID); err != nil {
			return err
		}
		now := a.Now()
		fresh, err := tx.Mailboxes().ReceiveMail(ctx, m.ID, key, now)
		if err != nil || !fresh {
			return err
		}
		n, err := tx.Mailboxes().MailsSince(ctx, m.ID, now.Add(-time.Hour))
		if err != nil {
			return err
		}
		if n > domain.MaxMailsPerHour {
			return domain.NewTooMany("This address gets too many mails: try again later", domain.MaxMailsPerHour, time.Hour, time.Hour)
		}
		if err := tx.Mailboxes().PruneMails(ctx, m.ID, keptMailKeys); err != nil {
			return err
		}
		b, err := a.createBlock(ctx, tx, by, block, places)
		if err == nil && copied != nil {
			err = a.content.AddMailCopy(ctx, tx, by, b, *copied)
		}
		return err
	})
}

// mailBlock returns the Text block of a mail.
func (a *Collections) mailBlock(ctx context.Context, by domain.Actor, in MailInput) (newBlock, error) {
	title := shortened(in.Subject, domain.MaxTitle)
	text := in.Text
	if text == "" {
		text = title
	}
	if _, is := core.AbsoluteURL(text); is {
		text = "<" + text + ">" // otherwise it would be a Link
	}
	facts := map[string]string{"from": shortened(in.From, domain.MaxTitle)}
	if !in.Date.IsZero() {
		date := in.Date
		if now := a.Now(); date.After(now) {
			date = now
		}
		facts["published"] = date.Format(time.DateOnly)
	}
	metadata, _ := json.Marshal(facts) // strings can always be encoded
	block, err := a.newBlock(ctx, by, BlockInput{Value: text, Title: core.NonEmpty(&title), Metadata: metadata})
	block.quiet = true
	return block, err
}

// shortened returns the beginning of a text that is too long.
func shortened(text string, limit int) string {
	if all := []rune(text); len(all) > limit {
		return string(all[:limit-1]) + "…"
	}
	return text
}

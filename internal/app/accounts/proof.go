package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-webauthn/webauthn/protocol"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// How long a confirmation is valid: for opening the form of a sensitive action, and for submitting
// it, so that an open form stays usable for a few minutes.
const (
	proofTTL = 10 * time.Minute
	formTTL  = 15 * time.Minute
)

// ErrUnproved and ErrRenewed refuse sensitive actions: the user must first confirm their identity, or the session has
// ended or got a new secret since the request began.
var (
	ErrUnproved = errors.New("the session was not confirmed recently")
	ErrRenewed  = errors.New("the session has ended or has another secret")
)

func errUnproved() error {
	return domain.Wrap(domain.Forbidden, "Confirm that it is you first", ErrUnproved)
}

func errRenewed() error {
	return domain.Wrap(domain.Unauthenticated, "Your session has changed in the meantime: try again", ErrRenewed)
}

// MayOpen reports whether a session was confirmed recently enough to open the form of a sensitive
// action.
func (a *SignIns) MayOpen(s domain.Session) bool { return a.Now().Sub(s.ProvedAt) < proofTTL }

// LockProved locks the actor's account for a sensitive action. It refuses a session that was not
// confirmed recently, and a request that arrived with an earlier secret and was held back until the
// user confirmed.
func (a *SignIns) LockProved(ctx context.Context, tx *store.Tx, actor domain.Actor, s domain.Session) (store.Credentials, error) {
	c, s, err := a.lockSession(ctx, tx, actor, s)
	if err == nil && a.Now().Sub(s.ProvedAt) >= formTTL {
		err = errUnproved()
	}
	return c, err
}

// lockSession locks the actor's account and reads the current state of their session.
func (a *SignIns) lockSession(ctx context.Context, tx *store.Tx, actor domain.Actor, s domain.Session) (store.Credentials, domain.Session, error) {
	c, err := tx.Users().LockUser(ctx, actor.UserID)
	if err != nil {
		return c, s, err
	}
	s.UserID = actor.UserID
	s, err = tx.Account().CurrentSession(ctx, s)
	if domain.KindOf(err) == domain.NotFound {
		err = errRenewed()
	}
	return c, s, err
}

// Renew replaces the secret of a locked account's session after a sensitive change, so that copies of its cookie stop
// working. The other sessions must be confirmed again; endOthers ends them.
func (a *SignIns) Renew(ctx context.Context, tx *store.Tx, s domain.Session, endOthers bool) (secret string, err error) {
	if s, err = tx.Account().CurrentSession(ctx, s); err == nil {
		secret, err = a.renew(ctx, tx, s)
	}
	if domain.KindOf(err) == domain.NotFound {
		err = errRenewed()
	}
	if err != nil {
		return "", err
	}
	if !endOthers {
		return secret, tx.Account().ForgetProofs(ctx, s.UserID, s.ID)
	}
	if err := tx.Account().EndSessions(ctx, s.UserID, s.ID); err != nil {
		return "", err
	}
	return secret, a.AuditSelf(ctx, tx, domain.Actor{UserID: s.UserID}, domain.ActSignedOutAll)
}

func (a *SignIns) renew(ctx context.Context, tx *store.Tx, s domain.Session) (secret string, err error) {
	secret, hash, _ := auth.NewToken(auth.Session)
	return secret, tx.Account().RenewSession(ctx, s, hash)
}

// proved records the confirmation of a locked account's session, and replaces the session's secret.
func (a *SignIns) proved(ctx context.Context, tx *store.Tx, s domain.Session, u domain.User, by string) (secret string, err error) {
	s.ProvedAt = a.Now()
	if secret, err = a.renew(ctx, tx, s); err != nil {
		return "", err
	}
	return secret, a.Audit(ctx, tx, domain.Actor{UserID: u.ID}, domain.ActConfirmed, domain.AboutUser(u), map[string]any{"by": by})
}

// prove confirms a session unless check, which runs in the same transaction, returns an error.
func (a *SignIns) prove(ctx context.Context, from domain.Visitor, actor domain.Actor, s domain.Session, by string, check func(tx *store.Tx, c store.Credentials, now domain.Session) error) (secret string, err error) {
	var u domain.User
	err = a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		c, now, err := a.lockSession(ctx, tx, actor, s)
		if err != nil {
			return err
		}
		u = c.User
		if err := check(tx, c, now); err != nil {
			return err
		}
		secret, err = a.proved(ctx, tx, now, c.User, by)
		return err
	})
	if err != nil {
		return "", a.refusedProof(ctx, from, u, by, err)
	}
	return secret, nil
}

// refusedProof writes a failed confirmation to the audit log.
func (a *SignIns) refusedProof(ctx context.Context, from domain.Visitor, u domain.User, by string, err error) error {
	if errors.Is(err, ErrRenewed) {
		return err
	}
	return a.AuditRefusedBy(ctx, from, u, "confirmation by "+by, err)
}

// ProveByPassword confirms the actor's session with the account's password and returns its new secret.
// The error names `password`. Failed attempts of others on the account do not count.
func (a *SignIns) ProveByPassword(ctx context.Context, from domain.Visitor, actor domain.Actor, s domain.Session, password string) (secret string, err error) {
	const by = "password"
	was, err := a.Store.Users().Credentials(ctx, actor.UserID)
	if err != nil {
		return "", err
	}
	tried, err := a.TryAs(ctx, core.TryPassword, "signed in", strconv.FormatInt(int64(actor.UserID), 10))
	if err != nil {
		return "", err
	}
	right, err := auth.CheckPassword(password, was.PasswordHash)
	if err != nil {
		return "", err
	}
	if !right {
		return "", a.refusedProof(ctx, from, was.User, by, notTheirs())
	}
	secret, err = a.prove(ctx, from, actor, s, by, func(_ *store.Tx, c store.Credentials, _ domain.Session) error {
		if c.PasswordHash != was.PasswordHash {
			return notTheirs()
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return secret, a.Succeeded(ctx, tried)
}

func notTheirs() error {
	return domain.InvalidField("password", domain.FieldIncorrect, "is not your password")
}

// ProofOptions returns what a browser passes to navigator.credentials.get for ProveByPasskey, as JSON.
// The authenticator must verify the user: somebody else may be using the browser.
func (a *SignIns) ProofOptions(ctx context.Context, actor domain.Actor, s domain.Session) ([]byte, error) {
	all, err := a.Store.Account().Passkeys(ctx, actor.UserID)
	if err != nil {
		return nil, err
	}
	return a.requestOptions(ctx, forProof, bySession(actor, s.ID), protocol.VerificationRequired, all)
}

// ProveByPasskey confirms the actor's session with the answer to ProofOptions and returns its new
// secret. If the answer is wrong, the error is Unauthenticated.
func (a *SignIns) ProveByPasskey(ctx context.Context, from domain.Visitor, actor domain.Actor, s domain.Session, answer string) (secret string, err error) {
	const by = "passkey"
	tried, err := a.TryAs(ctx, core.TryFactor, "signed in", strconv.FormatInt(int64(actor.UserID), 10))
	if err != nil {
		return "", err
	}
	found, err := a.verify(ctx, forProof, bySession(actor, s.ID), protocol.VerificationRequired, actor.UserID, answer)
	if err != nil {
		u, unread := a.Store.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
		if unread != nil {
			return "", unread
		}
		return "", a.refusedProof(ctx, from, u, by, err)
	}
	secret, err = a.prove(ctx, from, actor, s, by, func(tx *store.Tx, _ store.Credentials, _ domain.Session) error {
		return a.settle(ctx, tx, found)
	})
	if err != nil {
		return "", err
	}
	return secret, a.Succeeded(ctx, tried)
}

// ProveBySignOn confirms a session whose user has just signed in again at the single sign-on
// provider, and returns its new secret. check runs in the transaction.
func (a *SignIns) ProveBySignOn(ctx context.Context, from domain.Visitor, actor domain.Actor, s domain.Session, check func(tx *store.Tx) error) (secret string, err error) {
	return a.prove(ctx, from, actor, s, "single sign-on", func(tx *store.Tx, _ store.Credentials, _ domain.Session) error { return check(tx) })
}

// proofLinkTTL is how long a mailed link for a confirmation is valid.
const proofLinkTTL = 30 * time.Minute

// MailProofLink is the job that mails a link with which the user confirms a session.
type MailProofLink struct {
	User    domain.UserID    `json:"user_id"`
	Session domain.SessionID `json:"session_id"`
	Asked   time.Time        `json:"asked"`
}

// Kind implements jobs.Args.
func (MailProofLink) Kind() string { return "mail_proof_link" }

// Class implements jobs.Classed.
func (MailProofLink) Class() jobs.Class { return jobs.Mail }

// proofLink is the stored data of such a link, under the hash of its token.
type proofLink struct {
	MailProofLink
	Email string `json:"email"` // the address to which it was mailed
}

func proofLinkHash(token string) []byte {
	sum := sha256.Sum256([]byte("proof link\n" + token))
	return sum[:]
}

// MailProof enqueues the mail with a link that confirms the actor's session. The caller checks that
// the actor has no other way to confirm.
func (a *SignIns) MailProof(ctx context.Context, actor domain.Actor, s domain.Session) error {
	if _, err := a.TryAs(ctx, core.TryMail, "signed in", strconv.FormatInt(int64(actor.UserID), 10)); err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if _, _, err := a.lockSession(ctx, tx, actor, s); err != nil {
			return err
		}
		return tx.Enqueue(ctx, MailProofLink{User: actor.UserID, Session: s.ID, Asked: a.Now()}, jobs.Attempts(5))
	})
}

// SendProofLink mails the link, unless it has expired or the account was deleted or suspended.
func (a *SignIns) SendProofLink(ctx context.Context, job MailProofLink) error {
	until := job.Asked.Add(proofLinkTTL)
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(job.User)})
	if domain.KindOf(err) == domain.NotFound || err == nil && (u.SuspendedAt != nil || !a.Now().Before(until)) {
		return nil
	}
	if err != nil {
		return err
	}
	kept, err := json.Marshal(proofLink{job, u.Email})
	if err != nil {
		return err
	}
	token, hash, _ := auth.NewToken(auth.Mailed)
	err = a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Identity().PutStep(ctx, proofLinkHash(token), kept, until) })
	if err != nil {
		return err
	}
	return a.Send(ctx, "proof", hash, mail.Address{Name: mail.Harmless(u.Name), Email: u.Email}, "Confirm that it is you", fmt.Sprintf(
		`Somebody who is signed in to your account %s at %s wants to change how it is
protected. If this is you, confirm it here, in the same browser:

  %s/settings/confirm/%s

The link works once, within half an hour. If this is not you, do not open it. Sign out
all browsers instead:

  %s/settings/sessions
`, u.Slug, a.SiteURL, a.SiteURL, token, a.SiteURL))
}

// ProofLink checks the token of a mailed link without using it. It returns NotFound if the link is
// used, expired or for another account, and Forbidden if another session requested it.
func (a *SignIns) ProofLink(ctx context.Context, actor domain.Actor, s domain.Session, token string) error {
	if !isToken(token, auth.Mailed) {
		return domain.NewNotFound()
	}
	kept, err := a.Store.Identity().Step(ctx, proofLinkHash(token), a.Now())
	if err != nil {
		return err
	}
	u, err := a.Store.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil {
		return err
	}
	return heldBy(kept, u, s)
}

// heldBy checks the stored data of a mailed link against an account and a session. A confirmation,
// or a change of address, invalidates links that were requested before it.
func heldBy(kept []byte, u domain.User, s domain.Session) error {
	var l proofLink
	if err := json.Unmarshal(kept, &l); err != nil {
		return err
	}
	switch {
	case l.User != u.ID, l.Email != u.Email, l.Session == s.ID && !l.Asked.After(s.ProvedAt):
		return domain.NewNotFound()
	case l.Session != s.ID:
		return domain.NewForbidden("Open the link in the browser in which you asked for it")
	}
	return nil
}

// ProveByLink confirms the actor's session with the token of a mailed link and returns its new secret.
// Errors are those of ProofLink.
func (a *SignIns) ProveByLink(ctx context.Context, from domain.Visitor, actor domain.Actor, s domain.Session, token string) (secret string, err error) {
	if !isToken(token, auth.Mailed) {
		return "", domain.NewNotFound()
	}
	return a.prove(ctx, from, actor, s, "mailed link", func(tx *store.Tx, c store.Credentials, now domain.Session) error {
		kept, err := tx.Identity().TakeStep(ctx, proofLinkHash(token), a.Now())
		if err != nil {
			return err
		}
		return heldBy(kept, c.User, now)
	})
}

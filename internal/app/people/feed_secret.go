package people

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// feedSecretBytes is how much of the MAC an address has: nobody guesses it.
const feedSecretBytes = 20

// FeedSecret is what the addresses of the actor's private feeds have in them. It follows
// from a key of this installation, so that it can be shown again and is kept nowhere. It
// costs a statement, and one more the first time.
func (a *People) FeedSecret(ctx context.Context, actor domain.Actor) (string, error) {
	if !actor.SignedIn() {
		return "", domain.NewUnauthenticated("Sign in to have feeds of your own")
	}
	version, err := a.Store.FeedVersion(ctx, actor.UserID)
	if err != nil {
		return "", err
	}
	return a.feedSecret(ctx, actor.UserID, version)
}

// RenewFeedSecret gives the actor another one. What has the old one reads nothing any more.
func (a *People) RenewFeedSecret(ctx context.Context, actor domain.Actor) (string, error) {
	if !actor.SignedIn() {
		return "", domain.NewUnauthenticated("Sign in to have feeds of your own")
	}
	var version int64
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if version, err = tx.RenewFeeds(ctx, actor.UserID); err != nil {
			return err
		}
		return a.AuditSelf(ctx, tx, actor, domain.ActFeedsRenewed)
	})
	if err != nil {
		return "", err
	}
	return a.feedSecret(ctx, actor.UserID, version)
}

// FeedReader is who reads by a secret address: the user, who may only read. NotFound if the
// secret is not theirs, or not any more, or if they are suspended or gone. It costs a
// statement.
func (a *People) FeedReader(ctx context.Context, user domain.UserID, secret string) (domain.Actor, error) {
	if user < 1 {
		return domain.Actor{}, domain.NewNotFound()
	}
	actor, version, err := a.Store.FeedReader(ctx, user)
	if err != nil {
		return domain.Actor{}, err
	}
	want, err := a.feedSecret(ctx, user, version)
	if err != nil {
		return domain.Actor{}, err
	}
	if !hmac.Equal([]byte(want), []byte(secret)) || !actor.SignedIn() {
		return domain.Actor{}, domain.NewNotFound()
	}
	return actor, nil
}

func (a *People) feedSecret(ctx context.Context, user domain.UserID, version int64) (string, error) {
	key, err := a.Secret(ctx, &a.feedKey, "feeds")
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, key)
	h.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte("feed\x00"), uint64(user)), uint64(version)))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:feedSecretBytes]), nil
}

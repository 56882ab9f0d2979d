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

// feedSecretBytes is the length of the part of the MAC in an address. It is long enough not to be guessed.
const feedSecretBytes = 20

// FeedSecret returns the secret in the addresses of the actor's private feeds. It is derived from a key of this
// installation, so that it can be shown again without being stored. It takes one statement, and one more the first time.
func (a *People) FeedSecret(ctx context.Context, actor domain.Actor) (string, error) {
	if !actor.SignedIn() {
		return "", domain.NewUnauthenticated("Sign in to have feeds of your own")
	}
	version, err := a.Store.Account().FeedVersion(ctx, actor.UserID)
	if err != nil {
		return "", err
	}
	return a.feedSecret(ctx, actor.UserID, version)
}

// RenewFeedSecret replaces the actor's secret. Addresses with the old one stop working.
func (a *People) RenewFeedSecret(ctx context.Context, actor domain.Actor) (string, error) {
	if !actor.SignedIn() {
		return "", domain.NewUnauthenticated("Sign in to have feeds of your own")
	}
	var version int64
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if version, err = tx.Account().RenewFeeds(ctx, actor.UserID); err != nil {
			return err
		}
		return a.AuditSelf(ctx, tx, actor, domain.ActFeedsRenewed)
	})
	if err != nil {
		return "", err
	}
	return a.feedSecret(ctx, actor.UserID, version)
}

// FeedReader returns the actor of a secret address, who may only read. It returns NotFound if the secret is not, or no
// longer, the user's, or if the user is suspended or deleted. It takes one statement.
func (a *People) FeedReader(ctx context.Context, user domain.UserID, secret string) (domain.Actor, error) {
	if user < 1 {
		return domain.Actor{}, domain.NewNotFound()
	}
	actor, version, err := a.Store.Account().FeedReader(ctx, user)
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

package accounts

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
	"vitrine/internal/store"
)

// IdempotencyHeader is the header field with the key of a request that a client may send again.
const IdempotencyHeader = "Idempotency-Key"

// Limits of the stored answers to requests with keys, which are kept for core.OnceKept.
const (
	maxKeysOfUser = 10_000
	// lostAfter is how long an answer may be missing after its request was carried out. Only its encoding takes place in
	// that time; after it, the server must have died.
	lostAfter = time.Minute
)

// ErrUnderway is returned while a request with the same key is in progress.
var ErrUnderway = errors.New("accounts: a request with this key is under way")

// Answer is the stored answer to a request. Its JSON names are permanent as long as such rows exist.
type Answer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   []byte            `json:"body"`
}

// KeyedRequest is a request with an idempotency key. Its answer is stored encrypted with token and key, because it may
// contain secrets and content that is deleted later. Neither token nor key is stored.
type KeyedRequest struct {
	claim scope.Claim
	seal  [sha256.Size]byte
}

// NewKeyedRequest returns the request of a token and a key. request is the hash of everything else that makes two
// requests the same.
func (a *Accounts) NewKeyedRequest(user domain.UserID, token, key string, request [sha256.Size]byte) *KeyedRequest {
	sum := func(purpose string) [sha256.Size]byte {
		return sha256.Sum256([]byte(purpose + "\n" + token + "\n" + key))
	}
	hash := sum("idempotency-key")
	return &KeyedRequest{seal: sum("answer"), claim: scope.Claim{Hash: hash[:], Request: request[:], User: user, Now: a.Now, Kept: core.OnceKept}}
}

// Claim returns the claim of the key, for the scope of the request.
func (k *KeyedRequest) Claim() *scope.Claim { return &k.claim }

// Repeated reports whether that transaction found the key claimed and did nothing.
func (k *KeyedRequest) Repeated() bool { return k.claim.Repeated }

// TookEffect reports whether that transaction was committed.
func (k *KeyedRequest) TookEffect() bool { return k.claim.Committed }

// KeptAnswer returns the stored answer to the request. It returns nil for a new request, ErrUnderway if the answer is
// still to come, and Unprocessable if the key belongs to another request or the answer is lost.
func (a *Accounts) KeptAnswer(ctx context.Context, k *KeyedRequest) (*Answer, error) {
	now := a.Now()
	kept, err := a.Store.Redo().Answered(ctx, k.claim.Hash, now)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return nil, a.mayKeep(ctx, k.claim.User)
	case err != nil:
		return nil, err
	case !bytes.Equal(kept.Request, k.claim.Request):
		return nil, keyRefused("was sent with another request: send each request with a key of its own")
	case kept.Answer == nil && now.Sub(kept.ClaimedAt) < lostAfter:
		return nil, ErrUnderway
	case kept.Answer == nil:
		return nil, keyRefused("was sent with a request that was carried out, but what it was answered is not kept: look at what is there")
	}
	return k.open(kept.Answer)
}

func keyRefused(why string) error {
	e := domain.InvalidField(IdempotencyHeader, domain.FieldMalformed, why)
	e.Kind = domain.Unprocessable
	return e
}

// mayKeep refuses more keys than the limit per user.
func (a *Accounts) mayKeep(ctx context.Context, user domain.UserID) error {
	n, err := a.Store.Redo().OnceKeys(ctx, user, maxKeysOfUser)
	if err == nil && n >= maxKeysOfUser {
		err = domain.NewTooMany(fmt.Sprintf("%d values of %s are kept for you: send fewer in a day, or no key", n, IdempotencyHeader),
			maxKeysOfUser, core.OnceKept, time.Hour)
	}
	return err
}

// KeepAnswer stores the answer to the request, and claims the key if the request wrote nothing. It changes nothing if
// the request was Repeated.
func (a *Accounts) KeepAnswer(ctx context.Context, k *KeyedRequest, answer Answer) error {
	sealed, err := k.close(answer)
	if err != nil {
		return err
	}
	return a.Store.InTxClaiming(ctx, &k.claim, func(tx *store.Tx) error {
		return tx.Redo().KeepAnswer(ctx, k.claim.Hash, k.claim.Request, sealed)
	})
}

func (k *KeyedRequest) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.seal[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (k *KeyedRequest) close(a Answer) ([]byte, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("accounts: keep an answer: %w", err)
	}
	aead, err := k.aead()
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, text, k.claim.Request), nil
}

func (k *KeyedRequest) open(sealed []byte) (*Answer, error) {
	aead, err := k.aead()
	if err != nil {
		return nil, err
	}
	text, err := aead.Open(nil, nil, sealed, k.claim.Request)
	if err != nil {
		return nil, fmt.Errorf("accounts: open a kept answer: %w", err)
	}
	a := new(Answer)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("accounts: read a kept answer: %w", err)
	}
	return a, nil
}

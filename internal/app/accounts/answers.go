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
	"vitrine/internal/store"
	"vitrine/internal/store/redo"
)

// IdempotencyHeader is the field by which a client names a request that it may send again.
const IdempotencyHeader = "Idempotency-Key"

// What is kept of requests with keys, for core.OnceKept.
const (
	maxKeysOfUser = 10_000
	// lostAfter is how long after a request was carried out its answer may still come: only
	// its encoding is left then. Later, the server that did it must have died.
	lostAfter = time.Minute
)

// ErrUnderway says that a request with the same key is being carried out.
var ErrUnderway = errors.New("accounts: a request with this key is under way")

// Answer is what a request was answered. Its names in JSON must stay while there are such rows.
type Answer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   []byte            `json:"body"`
}

// KeyedRequest is a request with a key of its client's. What it was answered is kept sealed by
// token and key, neither of which is kept: it may hold secrets, and what is deleted meanwhile.
type KeyedRequest struct {
	claim redo.Claim
	seal  [sha256.Size]byte
}

// NewKeyedRequest takes the token of the request, its key, and the sum of all else that makes it
// the same request.
func (a *Accounts) NewKeyedRequest(user domain.UserID, token, key string, request [sha256.Size]byte) *KeyedRequest {
	sum := func(purpose string) [sha256.Size]byte {
		return sha256.Sum256([]byte(purpose + "\n" + token + "\n" + key))
	}
	hash := sum("idempotency-key")
	return &KeyedRequest{seal: sum("answer"), claim: redo.Claim{Hash: hash[:], Request: request[:], User: user, Now: a.Now, Kept: core.OnceKept}}
}

// Claiming is a context in which the first transaction claims the key.
func (k *KeyedRequest) Claiming(ctx context.Context) context.Context {
	return redo.WithClaim(ctx, &k.claim)
}

// Repeated reports whether that transaction found the key claimed, so that nothing was done.
func (k *KeyedRequest) Repeated() bool { return k.claim.Repeated }

// TookEffect reports whether that transaction was committed.
func (k *KeyedRequest) TookEffect() bool { return k.claim.Committed }

// KeptAnswer gives what the request was answered before; nil if it was not sent, ErrUnderway if
// its answer is still to come. A key of another request is Unprocessable, and so is one whose
// answer is lost.
func (a *Accounts) KeptAnswer(ctx context.Context, k *KeyedRequest) (*Answer, error) {
	now := a.Now()
	kept, err := a.Store.Answered(ctx, k.claim.Hash, now)
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

// mayKeep refuses more keys than are kept of a user.
func (a *Accounts) mayKeep(ctx context.Context, user domain.UserID) error {
	n, err := a.Store.OnceKeys(ctx, user, maxKeysOfUser)
	if err == nil && n >= maxKeysOfUser {
		err = domain.NewTooMany(fmt.Sprintf("%d values of %s are kept for you: send fewer in a day, or no key", n, IdempotencyHeader),
			maxKeysOfUser, core.OnceKept, time.Hour)
	}
	return err
}

// KeepAnswer keeps what the request was answered, and claims the key for it if it wrote nothing.
// The request may have been Repeated meanwhile, and then this changes nothing.
func (a *Accounts) KeepAnswer(ctx context.Context, k *KeyedRequest, answer Answer) error {
	sealed, err := k.close(answer)
	if err != nil {
		return err
	}
	return a.Store.InTx(k.Claiming(ctx), func(tx *store.Tx) error {
		return tx.KeepAnswer(ctx, k.claim.Hash, k.claim.Request, sealed)
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

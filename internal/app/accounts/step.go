package accounts

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/oidc"
	"vitrine/internal/store"
)

// StepTTL is the time limit for each step of signing in: at the provider, and to confirm.
const StepTTL = 15 * time.Minute

// longestBrowser is the maximum length of the cookie's value; valid ones are shorter.
const longestBrowser = 100

// step is an unfinished sign-in. It is stored encrypted with two secrets together: the state, which passes through the
// provider, and the value of the browser's cookie. Neither is stored. So any server can continue it, a single secret is
// useless, and the database does not reveal the destination.
type step struct {
	Attempt oidc.Attempt   `json:"attempt"`
	Next    string         `json:"next"`   // a path of this site; "" for none
	Invite  string         `json:"invite"` // token of an invitation; "" for none
	Connect bool           `json:"connect"`
	Prove   bool           `json:"prove"` // confirm the actor's session
	Began   time.Time      `json:"began"`
	Setup   string         `json:"setup"` // code for the first account; "" for none
	Who     *oidc.Identity `json:"who"`   // once the provider has identified the person, while it waits for confirmation
}

// keys returns the look-up key and the encryption key of a step.
func keys(state, browser string) (hash, seal [sha256.Size]byte) {
	sum := func(purpose string) [sha256.Size]byte {
		return sha256.Sum256([]byte(purpose + "\n" + state + "\n" + browser))
	}
	return sum("sign-on step"), sum("sign-on seal")
}

func aead(seal [sha256.Size]byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(seal[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// put stores a step under a state, for a browser. The browser keeps its cookie, so that several tabs can sign in at
// once.
func (a *SSO) put(ctx context.Context, state, browser string, s step) (string, error) {
	if browser == "" || len(browser) > longestBrowser {
		browser = rand.Text()
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	hash, seal := keys(state, browser)
	sealer, err := aead(seal)
	if err != nil {
		return "", err
	}
	return browser, a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		return tx.Identity().PutStep(ctx, hash[:], sealer.Seal(nil, nil, text, nil), a.Now().Add(StepTTL))
	})
}

// take returns and deletes the step of a state and a browser, or returns NotFound.
func (a *SSO) take(ctx context.Context, tx *store.Tx, state, browser string) (step, error) {
	hash, seal := keys(state, browser)
	sealed, err := tx.Identity().TakeStep(ctx, hash[:], a.Now())
	if err != nil {
		return step{}, err
	}
	return opened(seal, sealed)
}

// look returns the step without deleting it.
func (a *SSO) look(ctx context.Context, state, browser string) (step, error) {
	hash, seal := keys(state, browser)
	sealed, err := a.Store.Identity().Step(ctx, hash[:], a.Now())
	if err != nil {
		return step{}, err
	}
	return opened(seal, sealed)
}

func opened(seal [sha256.Size]byte, sealed []byte) (s step, err error) {
	opener, err := aead(seal)
	if err != nil {
		return s, err
	}
	text, err := opener.Open(nil, nil, sealed, nil)
	if err != nil {
		return s, domain.NewNotFound() // the secrets do not open it
	}
	return s, json.Unmarshal(text, &s)
}

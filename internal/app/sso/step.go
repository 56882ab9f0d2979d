package sso

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

// StepTTL is how long somebody has for a step of signing in: at the provider, and to confirm.
const StepTTL = 15 * time.Minute

// longestBrowser is how long what a browser is known by may be; ours is shorter.
const longestBrowser = 100

// step is a sign-in under way. It is kept sealed by two secrets together, neither of which is
// kept: the state, which passes through the provider, and what the cookie of the browser holds. So
// any server can go on with it, who has one of them has nothing, and the database tells nobody
// where somebody is going.
type step struct {
	Attempt oidc.Attempt   `json:"attempt"`
	Next    string         `json:"next"`   // a path of ours, "" for none
	Invite  string         `json:"invite"` // by which somebody came to sign up, "" for none
	Connect bool           `json:"connect"`
	Prove   bool           `json:"prove"` // the actor confirms their session
	Began   time.Time      `json:"began"`
	Setup   string         `json:"setup"` // code for the first account, "" for none
	Who     *oidc.Identity `json:"who"`   // once the provider has named it, and it waits for confirmation
}

// keys are what a step is found by, and what it is sealed with.
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

// put keeps a step under a state, for a browser. The browser keeps what it is known by, so that
// signing in goes on in several tabs at once.
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
	return browser, a.Store.InTx(ctx, func(tx *store.Tx) error {
		return tx.PutStep(ctx, hash[:], sealer.Seal(nil, nil, text, nil), a.Now().Add(StepTTL))
	})
}

// take gives the step of a state and a browser, once; NotFound if there is none.
func (a *SSO) take(ctx context.Context, tx *store.Tx, state, browser string) (step, error) {
	hash, seal := keys(state, browser)
	sealed, err := tx.TakeStep(ctx, hash[:], a.Now())
	if err != nil {
		return step{}, err
	}
	return opened(seal, sealed)
}

// look gives the step without taking it.
func (a *SSO) look(ctx context.Context, state, browser string) (step, error) {
	hash, seal := keys(state, browser)
	sealed, err := a.Store.Step(ctx, hash[:], a.Now())
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
		return s, domain.NewNotFound() // of no use to anybody
	}
	return s, json.Unmarshal(text, &s)
}

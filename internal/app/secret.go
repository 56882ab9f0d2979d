package app

import (
	"context"
	"crypto/rand"
	"sync/atomic"
)

// secret is a random key of this installation, once it has been read.
type secret struct{ value atomic.Pointer[[]byte] }

// secret gives the key of a name, which it makes if there is none.
func (a *App) secret(ctx context.Context, of *secret, name string) ([]byte, error) {
	if key := of.value.Load(); key != nil {
		return *key, nil
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails: it ends the program instead
	key, err := a.store.EnsureSecret(ctx, name, fresh)
	if err != nil {
		return nil, err
	}
	of.value.Store(&key)
	return key, nil
}

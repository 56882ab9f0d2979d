package core

import (
	"context"
	"crypto/rand"
	"sync/atomic"
)

// Secret caches a random key of this installation.
type Secret struct{ value atomic.Pointer[[]byte] }

// Secret returns the key with a name, and creates it if needed.
func (a *Core) Secret(ctx context.Context, of *Secret, name string) ([]byte, error) {
	if key := of.value.Load(); key != nil {
		return *key, nil
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails: it terminates the program instead
	key, err := a.Store.EnsureSecret(ctx, name, fresh)
	if err != nil {
		return nil, err
	}
	of.value.Store(&key)
	return key, nil
}

package core

import (
	"context"
	"crypto/rand"
	"sync/atomic"
)

// Secret is a random key of this installation, once it has been read.
type Secret struct{ value atomic.Pointer[[]byte] }

// Secret gives the key of a name, which it makes if there is none.
func (a *Core) Secret(ctx context.Context, of *Secret, name string) ([]byte, error) {
	if key := of.value.Load(); key != nil {
		return *key, nil
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails: it ends the program instead
	key, err := a.Store.EnsureSecret(ctx, name, fresh)
	if err != nil {
		return nil, err
	}
	of.value.Store(&key)
	return key, nil
}

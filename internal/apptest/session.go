package apptest

import (
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Proved starts a session that its user has just confirmed.
func (r *Rig) Proved(user domain.UserID) domain.Session {
	r.T.Helper()
	_, hash, _ := auth.NewToken(auth.Session)
	now := r.Clock.Now()
	s := domain.Session{UserID: user, CreatedAt: now, ExpiresAt: now.Add(time.Hour), ProvedAt: now, Hash: hash}
	err := r.S.Store.InTx(r.T.Context(), func(tx *store.Tx) (err error) {
		s.ID, err = tx.Account().CreateSession(r.T.Context(), s, hash)
		return err
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return s
}

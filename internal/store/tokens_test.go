package store_test

import (
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
	"vitrine/internal/store/storetest"
)

func newToken(t *testing.T, s *store.Store, user domain.UserID, name, hash string, scope domain.Scope) (id domain.TokenID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) (err error) {
		id, err = tx.Account().CreateToken(t.Context(), domain.Token{UserID: user, Name: name, Hint: "abcd", Scope: scope, CreatedAt: storetest.Now}, []byte(hash))
		return err
	})
	return id
}

func TestHoldersOfTokens(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		first := newToken(t, s, ada, "first", "hash 1", domain.ScopeRead)
		second := newToken(t, s, ada, "second", "hash 2", domain.ScopeWrite)
		of := newToken(t, s, bob, "of Bob", "hash 3", domain.ScopeWrite)
		holds := func(hash string, want account.Holder) {
			t.Helper()
			if h, err := s.Account().TokenHolder(ctx, []byte(hash)); err != nil || h != want {
				t.Errorf("%s: %+v, %v, want %+v", hash, h, err, want)
			}
		}
		made := int64(0) // if there may be replicas, creating an account counts as its first write
		if s.Database() == database.Postgres.String() {
			made = 1
		}
		adas := domain.Actor{UserID: ada, Writes: made, Tier: domain.TierSupporter, Scope: domain.ScopeRead}
		writer := domain.Actor{UserID: ada, Writes: made, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
		bobs := domain.Actor{UserID: bob, Writes: made, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
		holds("hash 1", account.Holder{TokenID: first, Actor: adas})
		holds("hash 2", account.Holder{TokenID: second, Actor: writer})
		holds("hash 3", account.Holder{TokenID: of, Actor: bobs})
		for _, hash := range []string{"", "hash", "HASH 1", "hash 1 "} {
			_, err := s.Account().TokenHolder(ctx, []byte(hash))
			wantKind(t, hash, err, domain.NotFound)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			now := storetest.Now
			if err := tx.Moderation().SetSuspended(ctx, bob, &now); err != nil {
				return err
			}
			if err := tx.Users().SetTier(ctx, bob, domain.TierFree, now); err != nil {
				return err
			}
			_, err := tx.Account().RevokeToken(ctx, first, now)
			return err
		})
		bobs.Tier = domain.TierFree
		holds("hash 3", account.Holder{TokenID: of, Actor: bobs, Suspended: true})
		holds("hash 2", account.Holder{TokenID: second, Actor: writer})
		_, err := s.Account().TokenHolder(ctx, []byte("hash 1"))
		wantKind(t, "a revoked token", err, domain.NotFound)
	})
}

func TestLivesOfTokens(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		first := newToken(t, s, ada, "first", "hash 1", domain.ScopeRead)
		second := newToken(t, s, ada, "second", "hash 2", domain.ScopeWrite)
		newToken(t, s, storetest.User(t, s, "Bob"), "of Bob", "hash 3", domain.ScopeWrite)
		at := func(minutes int) time.Time { return storetest.Now.Add(time.Duration(minutes) * time.Minute) }
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, minutes := range []int{3, 1, 7, 5} { // they may be reported out of order
				if err := tx.Account().TokenUsed(t.Context(), first, at(minutes)); err != nil {
					return err
				}
			}
			for _, minutes := range []int{8, 9} { // the second time changes nothing
				live, err := tx.Account().RevokeToken(t.Context(), first, at(minutes))
				if err != nil {
					return err
				}
				if live != (minutes == 8) {
					t.Errorf("live at %d: %v", minutes, live)
				}
			}
			return nil
		})
		tokens, err := s.Account().Tokens(t.Context(), ada)
		if err != nil || len(tokens) != 2 || tokens[0].ID != second || tokens[1].ID != first {
			t.Fatalf("got %+v, %v", tokens, err)
		}
		if l := tokens[0]; l.LastUsedAt != nil || l.RevokedAt != nil || l.Name != "second" || l.Hint != "abcd" ||
			l.Scope != domain.ScopeWrite || !l.CreatedAt.Equal(storetest.Now) || l.UserID != ada {
			t.Errorf("the second is %+v", l)
		}
		if f := tokens[1]; f.LastUsedAt == nil || !f.LastUsedAt.Equal(at(7)) || f.RevokedAt == nil || !f.RevokedAt.Equal(at(8)) {
			t.Errorf("the first was used at %v, revoked at %v", f.LastUsedAt, f.RevokedAt)
		}
		err = s.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Account().RevokeToken(t.Context(), 1000, at(1))
			return err
		})
		wantKind(t, "revoke an unknown token", err, domain.NotFound)
	})
}

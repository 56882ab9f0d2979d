package store_test

import (
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		want := func(want string) {
			t.Helper()
			got, err := s.Account().Secret(ctx, "a")
			if err != nil || string(got) != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		_, err := s.Account().Secret(ctx, "a")
		wantKind(t, "before", err, domain.NotFound)
		for _, value := range []string{"one", "two\x00"} {
			if err := s.PutSecret(ctx, "a", []byte(value)); err != nil {
				t.Fatal(err)
			}
			want(value)
		}
		if kept, err := s.EnsureSecret(ctx, "a", []byte("three")); err != nil || string(kept) != "two\x00" {
			t.Errorf("ensured: %q, %v", kept, err)
		}
		for range 2 {
			if err := s.DeleteSecret(ctx, "a"); err != nil {
				t.Fatal(err)
			}
		}
		_, err = s.Account().Secret(ctx, "a")
		wantKind(t, "after", err, domain.NotFound)
	})
}

package app_test

import (
	"strings"
	"testing"

	"vitrine/internal/domain"
)

// Who tries too often from one address does not keep the holder out elsewhere.
func TestNobodyIsLockedOutFromElsewhere(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accounts) {
		w.first("ada")
		refused := 0
		for range 130 { // an account may be tried 100 times
			_, err := w.a.SignIn(w.ctx(), elsewhere, "ada@example.org", strings.Repeat("x", 2000)) // too long to be hashed
			if domain.KindOf(err) == domain.TooMany {
				refused++
			}
		}
		if refused != 120 {
			t.Errorf("%d of 130 were refused", refused)
		}
		w.signIn("ada")
	})
}

package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// A recovery code consists of 80 random bits as 16 characters of Crockford's base 32, which are not easily confused.
// That is enough for an unsalted hash, as with tokens.
const (
	codeLetters = "0123456789abcdefghjkmnpqrstvwxyz"
	codeLength  = 16
	codesAtOnce = 10
)

// newCodes generates codes, in groups of four, and their hashes.
func newCodes() (codes []string, hashes [][]byte) {
	for range codesAtOnce {
		random := make([]byte, codeLength)
		_, _ = rand.Read(random) // never fails: it terminates the program instead
		code := writeCode(random)
		codes, hashes = append(codes, code), append(hashes, hashCode(code))
	}
	return codes, hashes
}

// writeCode formats at least 16 random bytes as a code of 16 characters.
func writeCode(random []byte) string {
	var code strings.Builder
	for i, b := range random[:codeLength] {
		if i > 0 && i%4 == 0 {
			code.WriteByte('-')
		}
		code.WriteByte(codeLetters[b%32]) // 256 is a multiple of 32, so all letters are equally likely
	}
	return code.String()
}

// sameCode reports in constant time whether somebody typed a code.
func sameCode(typed, code string) bool {
	return subtle.ConstantTimeCompare(hashCode(typed), hashCode(code)) == 1
}

// asMeant normalizes a typed code.
var asMeant = strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1")

func hashCode(typed string) []byte {
	sum := sha256.Sum256([]byte("recovery code " + asMeant.Replace(strings.ToLower(typed))))
	return sum[:]
}

// putCodes replaces the codes of a locked account.
func (a *SignIns) putCodes(ctx context.Context, tx *store.Tx, actor domain.Actor, u domain.User) ([]string, error) {
	codes, hashes := newCodes()
	if err := tx.Account().PutRecoveryCodes(ctx, u.ID, hashes, a.Now()); err != nil {
		return nil, err
	}
	return codes, a.Audit(ctx, tx, actor, domain.ActCodesMade, domain.AboutUser(u), nil)
}

// NewRecoveryCodes creates recovery codes for the actor, which replace the old ones. They are shown once. The session
// gets a new secret, and endOthers ends the other sessions. It returns Unprocessable without a passkey.
func (a *SignIns) NewRecoveryCodes(ctx context.Context, actor domain.Actor, s domain.Session, endOthers bool) (codes []string, secret string, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := a.LockProved(ctx, tx, actor, s)
		if err != nil {
			return err
		}
		n, err := tx.Account().CountPasskeys(ctx, c.User.ID)
		if err != nil {
			return err
		}
		if n == 0 {
			return domain.NewUnprocessable("Add a passkey first")
		}
		if codes, err = a.putCodes(ctx, tx, actor, c.User); err != nil {
			return err
		}
		if secret, err = a.Renew(ctx, tx, s, endOthers); err != nil {
			return err
		}
		return warn(ctx, tx, c.User, CodesMade)
	})
	return codes, secret, err
}

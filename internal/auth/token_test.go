package auth

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
)

func TestNewToken(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^vitrine_(pat|oat|inv|ses|hlf|lnk|sup|sec|cod|rft)_[0-9A-Za-z]{46}$`)
	seen := map[string]bool{}
	for _, kind := range kinds {
		for range 100 {
			token, hash, hint := NewToken(kind)
			if !form.MatchString(token) || !LooksLikeToken(token) || seen[token] {
				t.Fatalf("token %q", token)
			}
			seen[token] = true
			if got, ok := TokenKind(token); got != kind || !ok {
				t.Errorf("kind %q, %v", got, ok)
			}
			if !bytes.Equal(hash, HashToken(token)) {
				t.Error("the hash is not the token's")
			}
			if !strings.HasPrefix(token, hint) || len(hint) != len("vitrine_pat_")+hintLength {
				t.Errorf("hint %q of %q", hint, token)
			}
		}
	}
}

// The format must not change, because of stored hashes and scanner rules. The checksums were computed with
// another implementation.
func TestTokenFormatIsFixed(t *testing.T) {
	t.Parallel()
	const token = "vitrine_pat_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd" + "1A54Cd"
	if !LooksLikeToken(token) {
		t.Errorf("%s has another checksum: %s", token, checksum(token[:len(token)-6]))
	}
	if got := hex.EncodeToString(HashToken("abc")); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("SHA-256 of abc is %s", got)
	}
	// The CRC-32 of "123456789" is cbf43926, and that of an empty string is 0.
	if got := checksum("123456789"); got != "3jZRME" {
		t.Errorf("checksum %s", got)
	}
	if got := checksum(""); got != "000000" {
		t.Errorf("checksum of nothing %s", got)
	}
}

func TestLooksLikeToken(t *testing.T) {
	t.Parallel()
	token, _, _ := NewToken(Personal)
	secret := strings.TrimPrefix(token, "vitrine_pat_")
	for i := range token {
		other := byte('x')
		if token[i] == other {
			other = 'y'
		}
		if changed := token[:i] + string(other) + token[i+1:]; LooksLikeToken(changed) {
			t.Errorf("%s with another character %d", token, i)
		}
	}
	for _, s := range []string{
		"", "vitrine_", "vitrine_pat_", "vitrine_pat", secret, token[:len(token)-1], token + "0", " " + token, token + "\n",
		strings.ToUpper(token), "vitrine_xxx_" + secret, "vitrine_oat_" + secret, "vitrine__" + secret,
		"vitrine_pat_" + strings.Repeat("é", 23), "vitrine_pat_" + strings.Repeat("=", 46), strings.Repeat("x", 100_000),
	} {
		if LooksLikeToken(s) {
			t.Errorf("%.80q looks like a token", s)
		}
	}
}

func TestRandomBase62IsEven(t *testing.T) {
	t.Parallel()
	const perCharacter = 10_000 // enough to detect a bias from remainders
	counts := map[rune]int{}
	for _, r := range randomBase62(62 * perCharacter) {
		counts[r]++
	}
	if len(counts) != 62 {
		t.Errorf("%d different characters, want 62", len(counts))
	}
	for r, n := range counts { // 8 standard deviations, so not by chance
		if n < perCharacter-800 || n > perCharacter+800 {
			t.Errorf("%q came %d times, want about %d", r, n, perCharacter)
		}
	}
}

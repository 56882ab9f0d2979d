package auth

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/alexedwards/argon2id"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	const password = "correct horse ✓"
	hash, err := HashPassword(password)
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hash %q, %v", hash, err)
	}
	tests := map[string]struct {
		password, hash string
		want           bool
	}{
		"right":                {password, hash, true},
		"wrong":                {"correct horse", hash, false},
		"empty":                {"", hash, false},
		"right and more":       {password + "\x00", hash, false},
		"no hash":              {password, "", false},
		"no hash, no password": {"", "", false},
		"far too long":         {strings.Repeat("x", MaxPasswordBytes+1), hash, false},
	}
	for name, test := range tests {
		if got, err := CheckPassword(test.password, test.hash); got != test.want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if again, _ := HashPassword(password); again == hash {
		t.Error("two hashes have the same salt")
	}
}

func TestPasswordLength(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("x", MaxPasswordBytes)
	hash, err := HashPassword(longest)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := CheckPassword(longest, hash); !ok || err != nil {
		t.Errorf("the longest: %v, %v", ok, err)
	}
	if _, err := HashPassword(longest + "x"); !errors.Is(err, ErrPasswordTooLong) {
		t.Errorf("one byte more: %v", err)
	}
}

func TestOlderParametersStillCheck(t *testing.T) {
	t.Parallel()
	hash, err := argon2id.CreateHash("secret", &argon2id.Params{
		Memory: 8 * 1024, Iterations: 1, Parallelism: 2, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := CheckPassword("secret", hash); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestDamagedHashes(t *testing.T) {
	t.Parallel()
	const tail = "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	hashes := []string{
		"x", "$argon2id$", "$2a$10$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=19456,t=2,p=1" + tail,
		"$argon2id$v=16$m=19456,t=2,p=1" + tail,
		"$argon2id$v=19$m=19456,t=0,p=1" + tail,
		"$argon2id$v=19$m=19456,t=2,p=0" + tail,
		"$argon2id$v=19$m=19456,t=900,p=1" + tail,
		"$argon2id$v=19$m=4000000,t=2,p=1" + tail,
		"$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$",
		"$argon2id$v=19$m=19456,t=2,p=1$$AAAAAAAAAAAAAAAAAAAAAA",
	}
	for _, hash := range hashes {
		if ok, err := CheckPassword("x", hash); ok || err == nil {
			t.Errorf("%s: %v, %v", hash, ok, err)
		}
	}
}

// The dummy hash must take as long as a real one: it must be valid and have the current parameters.
func TestDummyHashIsReal(t *testing.T) {
	t.Parallel()
	params, _, _, err := argon2id.DecodeHash(dummyHash())
	if err != nil || *params != *passwordParams {
		t.Errorf("parameters %+v, %v", params, err)
	}
	if ok, err := CheckPassword("", dummyHash()); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestHashesWaitForEachOther(t *testing.T) {
	t.Parallel()
	work := map[string]func(hasher){
		"hash":  func(h hasher) { _, _ = h.hash("x") },
		"check": func(h hasher) { _, _ = h.check("x", dummyHash()) },
	}
	for name, compute := range work {
		synctest.Test(t, func(t *testing.T) {
			h := make(hasher, 1)
			h <- struct{}{}
			done := false
			go func() { compute(h); done = true }()
			synctest.Wait()
			if done {
				t.Errorf("%s: computed beyond the limit", name)
			}
			<-h
			synctest.Wait()
			if !done || len(h) != 0 {
				t.Errorf("%s: done %v, %d slots still taken", name, done, len(h))
			}
		})
	}
}

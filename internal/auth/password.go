// Package auth holds what proves an identity: password hashes, tokens and the
// header that carries them. It stores nothing.
package auth

import (
	"errors"
	"fmt"

	"github.com/alexedwards/argon2id"
)

const (
	// MaxPasswordBytes bounds what is hashed at all. What users may choose is
	// the caller's business, and shorter.
	MaxPasswordBytes = 1024

	maxConcurrentHashes = 4 // of 19 MiB each
)

// ErrPasswordTooLong is returned for a password of more than MaxPasswordBytes.
var ErrPasswordTooLong = errors.New("password too long")

// passwordParams is OWASP's smallest recommendation for argon2id: 19 MiB, two
// passes, one lane. A hash carries its own, so these may be raised later.
var passwordParams = &argon2id.Params{
	Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
}

// nobody is a hash of no password, at passwordParams.
const nobody = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// shared computes the hashes of the whole program.
var shared = make(hasher, maxConcurrentHashes)

// HashPassword returns the argon2id hash of a password with a fresh salt, in the
// usual $argon2id$ form. The error is ErrPasswordTooLong, or the system's.
func HashPassword(password string) (string, error) {
	return shared.hash(password)
}

// CheckPassword reports whether a password belongs to a hash, comparing in
// constant time. Nothing belongs to an empty hash, the mark of an account
// without a password, and finding that out takes as long. The error says that
// the hash is none of HashPassword's.
func CheckPassword(password, hash string) (bool, error) {
	if hash == "" {
		_, err := shared.check(password, nobody)
		return false, err
	}
	return shared.check(password, hash)
}

// hasher holds an element for every hash that is being computed. Without a limit
// a burst of logins would take 19 MiB each; with it they wait for each other.
type hasher chan struct{}

func (h hasher) hash(password string) (string, error) {
	if len(password) > MaxPasswordBytes {
		return "", ErrPasswordTooLong
	}
	h <- struct{}{}
	defer func() { <-h }()
	return argon2id.CreateHash(password, passwordParams)
}

func (h hasher) check(password, hash string) (bool, error) {
	params, salt, key, err := argon2id.DecodeHash(hash)
	if err != nil {
		return false, fmt.Errorf("password hash: %w", err)
	}
	if !reasonable(params) || len(salt) == 0 || len(key) < 16 {
		return false, errors.New("password hash: parameters out of range")
	}
	if len(password) > MaxPasswordBytes {
		return false, nil
	}
	h <- struct{}{}
	defer func() { <-h }()
	return argon2id.ComparePasswordAndHash(password, hash)
}

// reasonable keeps a damaged hash from panicking in argon2 or from taking all
// memory.
func reasonable(p *argon2id.Params) bool {
	return p.Iterations >= 1 && p.Iterations <= 16 && p.Parallelism >= 1 && p.Memory <= 256*1024
}

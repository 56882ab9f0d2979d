// Package auth implements password hashes, tokens, and the header that contains them. It stores nothing.
package auth

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/alexedwards/argon2id"
)

const (
	// MaxPasswordBytes is the maximum length of a password that is hashed. The caller enforces a
	// shorter limit for users.
	MaxPasswordBytes = 1024

	maxConcurrentHashes = 4 // of 19 MiB each
)

// ErrPasswordTooLong is returned for a password of more than MaxPasswordBytes.
var ErrPasswordTooLong = errors.New("password too long")

// passwordParams are the smallest parameters that OWASP recommends for argon2id: 19 MiB, two passes, one
// lane. A hash contains its parameters, so they can be increased later.
var passwordParams = &argon2id.Params{
	Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
}

// LowerCostForTests makes hashes cheap, since tests create hundreds. TestMain calls it before anything
// else runs.
func LowerCostForTests() {
	passwordParams.Memory, passwordParams.Iterations = 64, 1
}

// dummyHash returns a hash that no password matches, with passwordParams.
func dummyHash() string {
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=1$%s$%s", passwordParams.Memory, passwordParams.Iterations,
		strings.Repeat("A", 22), strings.Repeat("A", 43))
}

// shared computes all hashes of the program.
var shared = make(hasher, maxConcurrentHashes)

// HashPassword returns the argon2id hash of a password with a new salt, in the usual $argon2id$ form. The
// error is ErrPasswordTooLong or a system error.
func HashPassword(password string) (string, error) {
	return shared.hash(password)
}

// CheckPassword reports whether a password matches a hash, in constant time. An empty hash, which marks an
// account without a password, matches nothing, and the check takes the same time. The error reports that
// HashPassword did not create the hash.
func CheckPassword(password, hash string) (bool, error) {
	if hash == "" {
		_, err := shared.check(password, dummyHash())
		return false, err
	}
	return shared.check(password, hash)
}

// hasher is a semaphore for computing hashes. Each one takes 19 MiB, so a burst of logins would otherwise
// use too much memory.
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

// reasonable rejects parameters of a damaged hash that would make argon2 panic or use all memory.
func reasonable(p *argon2id.Params) bool {
	return p.Iterations >= 1 && p.Iterations <= 16 && p.Parallelism >= 1 && p.Memory <= 256*1024
}

// commonText contains the thousand most common passwords of at least 8 bytes in lower case, one per line,
// as ranked by zxcvbn (github.com/dropbox/zxcvbn, MIT, LICENSE.zxcvbn).
//
//go:embed common.txt
var commonText string

var common = func() map[string]bool {
	all := map[string]bool{}
	for password := range strings.Lines(commonText) {
		all[strings.TrimSuffix(password, "\n")] = true
	}
	return all
}()

// Common reports whether a password is one of the thousand most common ones, ignoring case.
func Common(password string) bool { return common[strings.ToLower(password)] }

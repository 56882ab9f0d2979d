package auth

import (
	_ "embed"
	"strings"
)

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

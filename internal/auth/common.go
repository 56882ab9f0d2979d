package auth

import (
	_ "embed"
	"strings"
)

// common.txt has the thousand commonest passwords of 8 bytes and more, in lower case,
// one a line, the commonest first, as zxcvbn ranks them (github.com/dropbox/zxcvbn, MIT, LICENSE.zxcvbn).
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

// Common reports whether a password is among the thousand commonest, in any case.
func Common(password string) bool { return common[strings.ToLower(password)] }

package domain_test

import (
	"testing"

	"vitrine/internal/domain"
)

// All digits are an ID; everything else is a slug (behaviour.md section 1).
func TestParseRef(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]domain.Ref{
		"":                     {},
		"1":                    {ID: 1},
		"007":                  {ID: 7},
		"9223372036854775807":  {ID: 9223372036854775807},
		"9223372036854775808":  {}, // digits are never a slug
		"00000000000000000000": {},
		"0":                    {},
		"-1":                   {Slug: "-1"},
		"+1":                   {Slug: "+1"},
		"1a":                   {Slug: "1a"},
		"1 ":                   {Slug: "1 "},
		"ada-lovelace":         {Slug: "ada-lovelace"},
		"١٢":                   {Slug: "١٢"},
	} {
		if got := domain.ParseRef(in); got != want {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

package web

import "testing"

func TestBeginning(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                   "",
		"  short \n":         "short",
		"ten letter":         "ten letter",
		"line\n\nof more":    "line\n\nof…",
		"unbrokenunbroken":   "unbrokenun…",
		"ääääääääääüü":       "ääääääääää…",
		"a verylongwordhere": "a verylong…",
	} {
		if got := beginning(text, 10); got != want {
			t.Errorf("%q begins %q, want %q", text, got, want)
		}
	}
}

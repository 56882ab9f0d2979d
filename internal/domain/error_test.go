package domain

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want Kind
	}{
		"none":                 {nil, Internal},
		"foreign":              {io.EOF, Internal},
		"invalid":              {InvalidField("a", FieldMalformed, "is odd"), Invalid},
		"unprocessable":        {NewUnprocessable("no"), Unprocessable},
		"not found":            {NewNotFound(), NotFound},
		"forbidden":            {NewForbidden("no"), Forbidden},
		"unauthenticated":      {NewUnauthenticated("no"), Unauthenticated},
		"within another":       {fmt.Errorf("load: %w", NewNotFound()), NotFound},
		"the outermost wins":   {Wrap(Conflict, "taken", NewNotFound()), Conflict},
		"wrapped in a foreign": {errors.Join(io.EOF, Wrap(TooLarge, "big", nil)), TooLarge},
	}
	for name, test := range tests {
		if got := KindOf(test.err); got != test.want {
			t.Errorf("%s: kind %d, want %d", name, got, test.want)
		}
	}
}

func TestErrorKeepsCauseOutOfMessage(t *testing.T) {
	t.Parallel()
	err := Wrap(Timeout, "Took too long", io.ErrUnexpectedEOF)
	if err.Message != "Took too long" {
		t.Errorf("message %q", err.Message)
	}
	if got, want := err.Error(), "Took too long: unexpected EOF"; got != want {
		t.Errorf("log text %q, want %q", got, want)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is not in the chain")
	}
	if got := NewForbidden("No entry").Error(); got != "No entry" {
		t.Errorf("log text without a cause: %q", got)
	}
}

func TestNewInvalidKeepsEveryField(t *testing.T) {
	t.Parallel()
	err := NewInvalid(FieldError{"per", FieldOutOfRange, "is below 1"}, FieldError{"page", FieldMalformed, "is not a number"})
	if want := "per: is below 1; page: is not a number"; err.Message != want {
		t.Errorf("message %q, want %q", err.Message, want)
	}
	if !slices.Equal(err.Lines(), []string{"per: is below 1", "page: is not a number"}) {
		t.Errorf("fields %q", err.Lines())
	}
}

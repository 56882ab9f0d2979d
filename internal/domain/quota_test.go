package domain_test

import (
	"testing"

	"vitrine/internal/domain"
)

func TestCounted(t *testing.T) {
	t.Parallel()
	for n, want := range []string{"0 files", "1 file", "2 files"} {
		if got := domain.Counted(n, "file", "files"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if got := domain.FormatBytes(1); got != "1 byte" {
		t.Errorf("FormatBytes(1) = %q", got)
	}
}

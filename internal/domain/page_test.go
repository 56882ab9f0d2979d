package domain_test

import (
	"math"
	"testing"

	"vitrine/internal/domain"
)

func TestOffsets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ number, per, want int64 }{
		{1, 1, 0},
		{1, 100, 0},
		{2, 24, 24},
		{11, 100, 1000},
		{1 << 40, 1, 1<<40 - 1},
	} {
		if got := (domain.Page{Number: c.number, Per: c.per}).Offset(); got != c.want {
			t.Errorf("page %d of %d begins after %d, want %d", c.number, c.per, got, c.want)
		}
	}
	for _, number := range []int64{1 << 50, math.MaxInt64 / 100, math.MaxInt64/100 + 1, math.MaxInt64} {
		p := domain.Page{Number: number, Per: 100}
		if got := p.Offset(); got < 1<<45 || got+p.Per < got {
			t.Errorf("page %d begins after %d", number, got)
		}
	}
}

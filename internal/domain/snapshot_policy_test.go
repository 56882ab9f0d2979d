package domain_test

import (
	"testing"

	"vitrine/internal/domain"
)

func TestChooseSnapshotPolicy(t *testing.T) {
	t.Parallel()
	const never, asked, always = domain.NoSnapshots, domain.AskedSnapshots, domain.EverySnapshot
	type policies []domain.SnapshotPolicy
	for _, c := range []struct {
		operator, block domain.SnapshotPolicy
		channels        policies
		want            domain.SnapshotPolicy
	}{
		{asked, "", nil, asked},
		{always, "", policies{""}, always},
		{never, always, policies{always}, never},
		{asked, "", policies{always}, always},
		{always, "", policies{asked}, asked},
		{always, "", policies{asked, always}, always},
		{always, "", policies{always, asked, never}, never},
		{asked, always, policies{never}, always},
		{asked, asked, policies{always}, asked},
		{always, never, policies{always}, never},
	} {
		if got := domain.ChooseSnapshotPolicy(c.operator, c.block, c.channels...); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

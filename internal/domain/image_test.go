package domain

import "testing"

func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v            ImageVersion
		w, h         int
		wantW, wantH int
	}{
		{ImageVersion{"small", false}, 4000, 3000, 400, 300},
		{ImageVersion{"small", true}, 4000, 3000, 800, 600},
		{ImageVersion{"medium", true}, 3000, 4000, 1200, 1600},
		{ImageVersion{"large", true}, 4000, 3000, 2400, 1800},
		{ImageVersion{"large", true}, 300, 200, 300, 200},
		{ImageVersion{"large", false}, 1201, 1, 1200, 1},
		{ImageVersion{"small", false}, 100000, 1, 400, 1},
		{ImageVersion{"square", false}, 4000, 3000, 400, 400},
		{ImageVersion{"square", true}, 4000, 500, 500, 500},
	} {
		if w, h := c.v.Fit(c.w, c.h); w != c.wantW || h != c.wantH {
			t.Errorf("%+v of %d × %d: %d × %d, want %d × %d", c.v, c.w, c.h, w, h, c.wantW, c.wantH)
		}
	}
	if n := len(ImageVersions()); n != 8 {
		t.Errorf("%d versions", n)
	}
}

package media

import "testing"

func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v            Version
		w, h         int
		wantW, wantH int
	}{
		{Version{"small", false}, 4000, 3000, 400, 300},
		{Version{"small", true}, 4000, 3000, 800, 600},
		{Version{"medium", true}, 3000, 4000, 1200, 1600},
		{Version{"large", true}, 4000, 3000, 2400, 1800},
		{Version{"large", true}, 300, 200, 300, 200},
		{Version{"large", false}, 1201, 1, 1200, 1},
		{Version{"small", false}, 100000, 1, 400, 1},
		{Version{"square", false}, 4000, 3000, 400, 400},
		{Version{"square", true}, 4000, 500, 500, 500},
	} {
		if w, h := c.v.Fit(c.w, c.h); w != c.wantW || h != c.wantH {
			t.Errorf("%+v of %d × %d: %d × %d, want %d × %d", c.v, c.w, c.h, w, h, c.wantW, c.wantH)
		}
	}
	if n := len(Versions()); n != 8 {
		t.Errorf("%d versions", n)
	}
}

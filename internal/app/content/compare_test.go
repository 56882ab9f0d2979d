package content

import (
	"fmt"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"", "", ""},
		{"a\n\nb\n", "a\nb", " a b"},
		{"a\nb\nc", "a\nx\nc", " a-b+x c"},
		{"a\nb", "b\nc", "-a b+c"},
		{"", "a", "+a"},
		{"a\na", "a", " a-a"},
	} {
		var got strings.Builder
		for _, l := range Compare(c.before, c.after) {
			got.WriteString(map[ChangeKind]string{Kept: " ", Added: "+", Removed: "-"}[l.Kind] + l.Text)
		}
		if got.String() != c.want {
			t.Errorf("%q, %q: %q, not %q", c.before, c.after, got.String(), c.want)
		}
	}
	var before, after strings.Builder
	for i := range 2 * maxCompared {
		fmt.Fprintln(&before, "old", i)
		fmt.Fprintln(&after, "new", i)
	}
	if all := Compare(before.String(), after.String()); len(all) != 4*maxCompared || all[0].Kind != Removed || all[len(all)-1].Kind != Added {
		t.Errorf("%d lines", len(all))
	}
}

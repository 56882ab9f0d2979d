package archtest

import (
	"os"
	"slices"
	"testing"
	"testing/fstest"
)

func TestTopics(t *testing.T) {
	t.Parallel()
	all, err := sources(os.DirFS(root(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, breach := range undeclared(all) {
		t.Error(breach)
	}
}

func TestTopicsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"type h struct { app *app.App }\nfunc (h h) f() { h.app.Finder.Search() }", []string{"Finder"}},
		{"func f(some *app.App) { some.People.User(); some.SSO.Name() }", []string{"People", "SSO"}},
		{"func f(v visit) { v.App().Content.Quota() }", []string{"Content"}},
		{"func f(o options) { o.App.Content.Quota() }", []string{"Content"}},
		{"func f(a page) { a.Content.Quota() }", nil},
		{"func f(a *app.App) { a.Ready() }", nil},
	} {
		all, err := sources(fstest.MapFS{"internal/feeds/a.go": {Data: []byte("package feeds\n" + c.text)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := topicsOf(all[0].file); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

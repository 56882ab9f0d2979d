package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// The number at the top of pages equals that of the list: hidden items are not counted.
func TestUnreadAtTheTop(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		const one, two = `<span class="unseen">one unread</span>`, `<span class="unseen">2 unread</span>`
		garden, shed := r.Channel("ada", "Garden", "public"), r.Channel("ada", "Shed", "public")
		commented(r, "ada", r.Block("ada", "Leaf", garden), "Look, @eve")
		commented(r, "ada", r.Block("ada", "Rust", shed), "Look, @eve")
		paths := []string{"/settings/profile", "/notifications", "/explore"}
		for _, path := range paths {
			eve.get(path).want(200).says(two)
		}
		tag := eve.get("/explore").header.Get("ETag")
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", shed), `{"visibility":"private"}`).Want(200)
		for _, path := range paths {
			eve.get(path).want(200).says(one)
		}
		if eve.get("/explore").header.Get("ETag") == tag {
			t.Error("a page with another number has the same tag")
		}
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", garden), `{"visibility":"private"}`).Want(200)
		for _, path := range paths {
			eve.get(path).want(200).hides(`class="count"`, "Mark all as read")
		}
	}, people)
}

// The number is capped at 99+.
func TestManyUnreadAtTheTop(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	eve := member(t, r, "eve")
	block := r.Block("ada", "Leaf", r.Channel("ada", "Garden", "public"))
	for range 99 {
		commented(r, "ada", block, "Look, @eve")
	}
	eve.get("/explore").want(200).says(`aria-hidden="true">99</span>`)
	commented(r, "ada", block, "Look, @eve")
	if p := eve.get("/explore").want(200).says("more than 99 unread"); !strings.Contains(p.body, `aria-hidden="true">99+</span>`) {
		t.Error("it does not say 99+")
	}
}

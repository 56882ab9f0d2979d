package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// memberSlugs lists the slugs of the items on a page.
func memberSlugs(res *apptest.Response) []string {
	var all []string
	for i := range res.Len("data") {
		all = append(all, res.Str(fmt.Sprintf("data.%d.slug", i)))
	}
	return all
}

func TestGroupsMembers(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := fmt.Sprint("/v3/groups/", r.Group("Society", "ada"))
		code := r.Do("ada", "POST", group+"/invite", nil).Want(201).Str("code")
		want := []string{"ada"}
		for _, name := range []string{"ben", "cyd", "dan", "eve"} {
			m := r.Do(name, "POST", group+"/members", fmt.Sprintf(`{"invite_token":%q}`, code)).Want(201)
			if m.Str("slug") != name || m.Str("role") != "member" {
				t.Errorf("joined as %s", m.Body)
			}
			want = slices.Insert(want, 1, name)
		}
		if role := r.Do("ada", "POST", group+"/members", fmt.Sprintf(`{"invite_token":%q}`, code)).Want(200).Str("role"); role != "owner" {
			t.Errorf("the owner is a %s", role)
		}
		for per := 1; per <= 6; per++ {
			var got []string
			for page := 1; ; page++ {
				res := r.Do("", "GET", fmt.Sprint(group, "/members?per=", per, "&page=", page), nil).Want(200)
				if n := res.Int("meta.total_count"); n != 5 {
					t.Fatalf("%d members in all", n)
				}
				if res.Len("data") == 0 {
					break
				}
				got = append(got, memberSlugs(res)...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("in pages of %d: %v, want %v", per, got, want)
			}
		}
		if role := r.Do("", "GET", group+"/members", nil).Want(200).Str("data.0.role"); role != "owner" {
			t.Errorf("the first is a %s", role)
		}
	})
}

func TestGroupsLeaveAndRemove(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := fmt.Sprint("/v3/groups/", r.Group("Society", "ada", "max", "tom"))
		member := func(name string) string { return fmt.Sprint(group, "/members/", r.Person(name).ID) }
		hidden := r.Do("max", "POST", "/v3/channels", fmt.Sprintf(`{"title":"Hidden","visibility":"private","owner":{"id":%s,"type":"Group"}}`,
			strings.TrimPrefix(group, "/v3/groups/"))).Want(201).Int("id")
		for range 2 {
			r.Do("tom", "DELETE", group+"/members/me", nil).Want(204)
			r.Do("ada", "DELETE", member("max"), nil).Want(204)
		}
		r.Do("max", "GET", fmt.Sprint("/v3/channels/", hidden), nil).Want(404)
		r.Do("ada", "DELETE", group+"/members/me", nil).Want(403)
		r.Do("ada", "DELETE", member("ada"), nil).Want(403)
		r.Do("ada", "DELETE", member("eve"), nil).Want(204) // never was a member
		r.Do("ada", "DELETE", group+"/members/999999", nil).Want(404)
		r.Do("ada", "DELETE", group+"/members/0", nil).Want(404)
		r.Do("ada", "DELETE", group+"/members/max", nil).Want(400)
		if n := r.Do("", "GET", group, nil).Want(200).Int("counts.users"); n != 1 {
			t.Errorf("%d users", n)
		}
	})
}

func TestGroupsJoinByInvite(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group, other := fmt.Sprint("/v3/groups/", r.Group("Society", "ada")), fmt.Sprint("/v3/groups/", r.Group("Other", "ada"))
		join := func(as, code string) int {
			return r.Do(as, "POST", group+"/members", fmt.Sprintf(`{"invite_token":%q}`, code)).Status
		}
		r.Do("ada", "GET", group+"/invite", nil).Want(404)
		if got := join("max", ""); got != 403 {
			t.Errorf("joining by nothing a group without an invite: %d", got)
		}
		r.Do("ada", "DELETE", group+"/invite", nil).Want(204)
		first := r.Do("ada", "POST", group+"/invite", nil).Want(201)
		code := first.Str("code")
		if first.Str("url") != apptest.Base+"/group/society/invite/"+code || len(code) < 22 {
			t.Errorf("invite %s", first.Body)
		}
		r.Do("ada", "PUT", group, `{"name":"Club"}`).Want(200)
		again := r.Do("ada", "POST", group+"/invite", nil).Want(200)
		if again.Str("code") != code || again.Str("url") != apptest.Base+"/group/club/invite/"+code {
			t.Errorf("invite %s", again.Body)
		}
		foreign := r.Do("ada", "POST", other+"/invite", nil).Want(201).Str("code")
		for _, bad := range []string{"", "x", foreign, code + "0", strings.ToUpper(code), " " + code} {
			if got := join("max", bad); got != 403 {
				t.Errorf("joining by %q: %d", bad, got)
			}
		}
		for _, body := range []string{`{"invite_token":7}`, `{"invite_token":"` + strings.Repeat("x", 201) + `"}`} {
			r.Do("max", "POST", group+"/members", body).Want(400)
		}
		if got := join("max", code); got != 201 {
			t.Errorf("joining: %d", got)
		}
		if got := join("max", code); got != 200 {
			t.Errorf("joining again: %d", got)
		}
		tag := r.Do("max", "GET", group+"/invite", nil).Want(200).Header.Get("ETag")
		r.Do("max", "GET", group+"/invite", nil, "If-None-Match", tag).Want(304)
		r.Do("max", "DELETE", group+"/invite", nil).Want(204)
		r.Do("max", "GET", group+"/invite", nil).Want(404)
		if got := join("tom", code); got != 403 {
			t.Errorf("joining by an ended invite: %d", got)
		}
		if next := r.Do("max", "POST", group+"/invite", nil).Want(201).Str("code"); next == code {
			t.Error("a new invite has the old code")
		}
	})
}

func TestGroupsOfUser(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		// Created in this order, then changed in another.
		for _, name := range []string{"beta", "Alpha", "Éclair", "Zeta", "delta", "alpha"} {
			r.Do("ada", "POST", "/v3/groups", fmt.Sprintf(`{"name":%q}`, name)).Want(201)
			r.Clock.Advance(time.Second)
		}
		r.Group("Someone's", "max")
		for _, slug := range []string{"zeta", "beta"} {
			r.Do("ada", "PUT", "/v3/groups/"+slug, `{"description":"x"}`).Want(200)
			r.Clock.Advance(time.Second)
		}
		second := memberSlugs(r.Do("", "GET", "/v3/users/ada/groups?sort=created_at_desc&per=1", nil).Want(200))[0] // alpha's
		orders := map[string][]string{
			"name":       {"alpha", second, "beta", "delta", "eclair", "zeta"},
			"created_at": {"beta", "alpha", "eclair", "zeta", "delta", second},
			"updated_at": {"alpha", "eclair", "delta", second, "zeta", "beta"},
		}
		for key, want := range orders {
			for _, dir := range []string{"_asc", "_desc"} {
				var got []string
				for page := 1; page <= 3; page++ {
					res := r.Do("", "GET", fmt.Sprint("/v3/users/ada/groups?per=2&sort=", key, dir, "&page=", page), nil).Want(200)
					got = append(got, memberSlugs(res)...)
				}
				if dir == "_desc" {
					slices.Reverse(got)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s%s: %v, want %v", key, dir, got, want)
				}
			}
		}
		if got := memberSlugs(r.Do("", "GET", "/v3/users/ada/groups", nil).Want(200)); !slices.Equal(got, orders["name"]) {
			t.Errorf("by default: %v", got)
		}
		if n := r.Do("", "GET", "/v3/users/ada/groups?page=9", nil).Want(200).Len("data"); n != 0 {
			t.Errorf("%d groups past the end", n)
		}
		r.Do("", "GET", "/v3/users/ada/groups?sort=position_asc", nil).Want(400)
		r.Do("", "GET", "/v3/users/nobody-there/groups", nil).Want(404)
	})
}

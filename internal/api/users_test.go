package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// TestUser: a user by id and by slug, for everyone, without private fields.
func TestUser(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := int64(r.Person("ada").ID)
		for _, as := range []string{"", "ada", "ada/read", "ben"} {
			byID, bySlug := r.Get(as, "/v3/users/%d", id), r.Get(as, "/v3/users/ada")
			if string(byID.Body) != string(bySlug.Body) {
				t.Errorf("as %q: by id %s, by slug %s", as, byID.Body, bySlug.Body)
			}
			for field, want := range map[string]any{"id": id, "type": "User", "slug": "ada", "name": "Ada", "initials": "A",
				"avatar": nil, "bio": nil, "badge": "supporter", "tier": "supporter",
				"counts": "map[channels:0 followers:0 following:0]"} {
				if got, ok := byID.Lookup(field); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("as %q: %s is %v, want %v", as, field, got, want)
				}
			}
			if body := string(byID.Body); strings.Contains(body, "email") || strings.Contains(body, "example.org") {
				t.Errorf("as %q: %s", as, body)
			}
		}
		for _, ref := range []string{"999", "0", "nobody", "Ada", "99999999999999999999", "-"} {
			r.Do("ben", "GET", "/v3/users/"+url.PathEscape(ref), nil).Want(404)
		}
	})
}

// TestMe: the public fields, the address and the notifications.
func TestMe(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Channel("ada", "Secret", "private")
		for _, as := range []string{"ada", "ada/read"} {
			me, want := fields(r.Get(as, "/v3/me")), fields(r.Get(as, "/v3/users/ada"))
			want["email"] = "ada@example.org"
			want["counts"].(map[string]any)["notifications"] = 0
			if fmt.Sprint(me) != fmt.Sprint(want) {
				t.Errorf("as %s: %v, want %v", as, me, want)
			}
		}
		r.Do("", "GET", "/v3/me", nil).Want(401)
	})
}

// TestUserCountsChannels: only the user's own channels count, and private ones only for the user.
func TestUserCountsChannels(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		firm := r.Group("Firm", "ada", "ben")
		channel := map[string]string{}
		for _, visibility := range []string{"public", "closed", "private"} {
			channel[visibility] = fmt.Sprint("/v3/channels/", r.Channel("ada", visibility, visibility))
		}
		bens := r.Channel("ben", "Ben's", "private")
		r.Collaborate("ben", bens, "ada")
		steps := []struct {
			method, path string
			body         any
			own, others  int64
		}{
			{"GET", channel["private"], nil, 3, 2},
			{"PUT", channel["public"], map[string]any{"visibility": "private"}, 3, 1},
			{"PUT", channel["private"], map[string]any{"visibility": "closed"}, 3, 2},
			{"PUT", channel["closed"], map[string]any{"title": "Other"}, 3, 2},
			{"PUT", channel["closed"], map[string]any{"owner": map[string]any{"type": "Group", "id": firm}}, 2, 1},
			{"PUT", channel["closed"], map[string]any{"owner": map[string]any{"id": r.Person("ada").ID}, "visibility": "private"}, 3, 1},
			{"DELETE", channel["closed"], nil, 2, 1},
			{"DELETE", channel["private"], nil, 1, 0},
			{"POST", "/v3/channels", map[string]any{"title": "Firm's", "owner": map[string]any{"type": "Group", "id": firm}}, 1, 0},
		}
		for i, step := range steps {
			if res := r.Do("ada", step.method, step.path, step.body); res.Status/100 != 2 {
				t.Fatalf("step %d: status %d: %s", i, res.Status, res.Body)
			}
			for as, want := range map[string]int64{"ada": step.own, "ada/read": step.own, "ben": step.others, "": step.others} {
				if got := r.Get(as, "/v3/users/ada").Int("counts.channels"); got != want {
					t.Errorf("step %d: as %q %d channels, want %d", i, as, got, want)
				}
			}
			if got := r.Get("ada", "/v3/me").Int("counts.channels"); got != step.own {
				t.Errorf("step %d: /v3/me counts %d channels, want %d", i, got, step.own)
			}
		}
	})
}

// TestBadgeAndInitials: the badge follows the tier, the initials the name.
func TestBadgeAndInitials(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		tier     domain.Tier
		initials string
		badge    any
	}{
		{"Solo", domain.TierFree, "S", nil}, {"first last", domain.TierPremium, "FL", "premium"},
		{"One Two Three", domain.TierSupporter, "OT", "supporter"}, {"élan  Ørsted", domain.TierFree, "ÉØ", nil},
		{"王 小", domain.TierFree, "王小", nil}, {"- One (Two) -", domain.TierFree, "OT", nil}, {"🙂", domain.TierFree, "", nil},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for i, test := range tests {
			u, err := r.S.App.Accounts.CreateUser(t.Context(), accounts.CreateUserInput{Name: test.name, Tier: test.tier,
				Email: fmt.Sprintf("user%d@example.org", i)})
			if err != nil {
				t.Fatal(err)
			}
			res := r.Get("", "/v3/users/%d", u.ID)
			if res.Str("initials") != test.initials || res.Get("badge") != test.badge || res.Str("tier") != string(test.tier) {
				t.Errorf("%q, %s: %s", test.name, test.tier, res.Body)
			}
			if _, err := r.S.App.Accounts.SetTier(t.Context(), domain.Ref{ID: int64(u.ID)}, domain.TierPremium); err != nil {
				t.Fatal(err)
			}
			if res := r.Get("", "/v3/users/%d", u.ID); res.Get("badge") != "premium" || res.Str("tier") != "premium" {
				t.Errorf("%q, after the change of tier: %s", test.name, res.Body)
			}
		}
	})
}

// TestSuspendedUser: the tokens get 401 everywhere until the suspension is lifted. The user's things stay.
func TestSuspendedUser(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Kept", "closed")
		r.Operator("op")
		for _, suspended := range []bool{true, true, false} {
			if _, err := r.S.App.Operating.Suspend(t.Context(), domain.Ref{Slug: "ada"}, suspended); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"/v3/me", "/v3/ping", "/v3/channels/kept", "/v3/channels/none", "/ext/v1/channels/kept/collaborators"} {
				for _, as := range []string{"ada", "ada/read"} {
					res := r.Do(as, "GET", path, nil)
					if got := res.Status == 401; got != suspended || got && res.Header.Get("WWW-Authenticate") == "" {
						t.Errorf("suspended %t, %s: status %d, %v", suspended, path, res.Status, res.Header)
					}
				}
			}
			r.Get("", "/v3/channels/%d", channel)
			r.Get("ben", "/v3/users/ada")
		}
	})
}

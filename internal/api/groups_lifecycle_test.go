package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func TestGroupsCreate(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		g := r.Do("ada", "POST", "/v3/groups", `{"name":"  Deep Time ","description":"A *b*","avatar_url":"https://example.org/a.png"}`).Want(201)
		for path, want := range map[string]string{"name": "Deep Time", "slug": "deep-time", "type": "Group", "initials": "DT",
			"description.html": "<p>A <em>b</em></p>\n", "user.slug": "ada"} {
			if got := g.Str(path); strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("%s is %q, want %q", path, got, want)
			}
		}
		if g.Int("counts.users") != 1 || g.Int("counts.channels") != 0 {
			t.Errorf("counts %v", g.Get("counts"))
		}
		plain := r.Do("eve", "POST", "/v3/groups", `{"name":"Deep time"}`).Want(201)
		if slug := plain.Str("slug"); !strings.HasPrefix(slug, "deep-time-") {
			t.Errorf("the second group of a name has the slug %q", slug)
		}
		if plain.Get("description") != nil || plain.Get("avatar") != nil {
			t.Errorf("description and avatar are not null: %s", plain.Body)
		}
		if slug := r.Do("eve", "POST", "/v3/groups", `{"name":"2024"}`).Want(201).Str("slug"); !strings.HasPrefix(slug, "2024-") {
			t.Errorf("digits give the slug %q", slug)
		}
		for _, body := range []string{`{}`, `{"name":""}`, `{"name":" \n "}`, `{"name":null}`, `{"name":7}`, `[]`, `{`,
			`{"name":"` + strings.Repeat("x", 256) + `"}`, `{"name":"x","avatar_url":"ftp://example.org/a"}`, `{"name":"x","avatar_url":"https://ada:x@example.org/a"}`,
			`{"name":"x","avatar_url":"javascript:alert(1)"}`} {
			r.Do("ada", "POST", "/v3/groups", body).Want(400)
		}
	})
}

func TestGroupsUpdate(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		g := r.Do("ada", "POST", "/v3/groups", `{"name":"First","description":"x"}`).Want(201)
		group := fmt.Sprint("/v3/groups/", g.Int("id"))
		r.Do("ada", "PUT", group, `{"name":"Second","avatar_url":"https://example.org/b.png","unknown":1}`).Want(200)
		for _, slug := range []string{"first", "second"} {
			if got := r.Do("", "GET", "/v3/groups/"+slug, nil).Want(200); got.Str("slug") != "second" || got.Str("description.plain") != "x" {
				t.Errorf("at %s there is %s", slug, got.Body)
			}
		}
		if other := r.Do("eve", "POST", "/v3/groups", `{"name":"First"}`).Want(201).Str("slug"); other == "first" {
			t.Error("a slug was given to a second group")
		}
		if back := r.Do("ada", "PUT", group, `{"name":"First!","description":null}`).Want(200); back.Str("slug") != "first" || back.Get("description") != nil {
			t.Errorf("renamed back: %s", back.Body)
		}
		for _, body := range []string{`{"name":" "}`, `{"name":""}`, `{"avatar_url":"x"}`} {
			r.Do("ada", "PUT", group, body).Want(400)
		}
		r.Do("ada", "PUT", group, `{}`).Want(200)
	})
}

// Any change of a group's representation changes its ETag, for the viewers who see the change.
func TestGroupsETag(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Group("Society", "ada", "max")
		group := fmt.Sprint("/v3/groups/", id)
		r.Web("example.com/c.png", apptest.Serve("image/png", apptest.PNG(t, 64, 48)))
		channel := func(visibility string) {
			r.Do("max", "POST", "/v3/channels", fmt.Sprintf(`{"title":"x","visibility":%q,"owner":{"id":%d,"type":"Group"}}`, visibility, id)).Want(201)
		}
		tags := map[string]string{}
		viewers := []string{"", "eve", "max", "ada", "ada/read"}
		for _, as := range viewers {
			tags[as] = r.Do(as, "GET", group, nil).Want(200).Header.Get("ETag")
			r.Do(as, "GET", group, nil, "If-None-Match", tags[as]).Want(304)
		}
		if tags["ada"] == tags["ada/read"] || tags["max"] == tags["eve"] {
			t.Error("two views with different abilities have one ETag")
		}
		changes := []struct {
			name    string
			change  func()
			members bool // only they see it
		}{
			{"rename", func() { r.Do("ada", "PUT", group, `{"name":"Club"}`).Want(200) }, false},
			{"avatar", func() {
				r.Do("ada", "PUT", group, `{"avatar_url":"https://example.com/c.png"}`).Want(200)
				r.WorkJobs()
				if avatar := r.Do("", "GET", group, nil).Want(200).Str("avatar"); !strings.HasPrefix(avatar, apptest.Base+"/files/") {
					t.Errorf("the avatar is %q", avatar)
				}
			}, false},
			{"open channel", func() { channel("closed") }, false},
			{"private channel", func() { channel("private") }, true},
			{"member", func() { r.Do("max", "DELETE", group+"/members/me", nil).Want(204) }, false},
		}
		for _, c := range changes {
			c.change()
			for _, as := range viewers {
				got := r.Do(as, "GET", group, nil, "If-None-Match", tags[as])
				if same := c.members && (as == "" || as == "eve"); same != (got.Status == 304) {
					t.Errorf("%s: %q gets %d", c.name, as, got.Status)
				}
				tags[as] = got.Header.Get("ETag")
			}
		}
	})
}

func TestGroupsDelete(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Group("Society", "ada", "max")
		group := fmt.Sprint("/v3/groups/", id)
		owned := func(as, title, visibility string) int64 {
			return r.Do(as, "POST", "/v3/channels", fmt.Sprintf(`{"title":%q,"visibility":%q,"owner":{"id":%d,"type":"Group"}}`,
				title, visibility, id)).Want(201).Int("id")
		}
		open, hidden, gone := owned("max", "Open", "closed"), owned("max", "Hidden", "private"), owned("ada", "Gone", "public")
		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", gone), nil).Want(204)
		helped := r.Channel("eve", "Helped", "private")
		r.Do("eve", "POST", fmt.Sprint("/ext/v1/channels/", helped, "/collaborators"), fmt.Sprintf(`{"group_id":%d}`, id)).Want(201)
		r.Do("max", "POST", fmt.Sprint("/ext/v1/channels/", open, "/collaborators"), fmt.Sprintf(`{"user_id":%d}`, r.Person("ada").ID)).Want(201)
		parent := r.Channel("tom", "Parent", "public")
		r.Do("max", "POST", "/v3/connections", fmt.Sprintf(`{"connectable_id":%d,"connectable_type":"Channel","channel_ids":[%d]}`, open, parent)).Want(201)
		block := r.Block("max", "Text", hidden)
		r.Do("ada", "POST", group+"/invite", nil).Want(201)
		r.Do("ada", "POST", group+"/invitations", `{"email":"x@example.org"}`).Want(201)
		r.Do("ada", "POST", group+"/invitations", fmt.Sprintf(`{"user_id":%d}`, r.Person("tom").ID)).Want(201)
		tom := r.Person("tom").ID
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			_, err := tx.Activity().Follow(t.Context(), tom, domain.Subject{Type: domain.SubjectGroup, ID: int64(id)}, time.Now())
			return err
		})
		for _, as := range []string{"max", "eve", "tom"} {
			r.Do(as, "DELETE", group, nil).Want(403)
		}
		helpedTag := r.Do("eve", "GET", fmt.Sprint("/v3/channels/", helped), nil).Want(200).Header.Get("ETag")
		r.Do("ada", "DELETE", group, nil).Want(204)

		r.Do("ada", "GET", group, nil).Want(404)
		r.Do("ada", "GET", "/v3/groups/society", nil).Want(404)
		r.Do("ada", "DELETE", group, nil).Want(404)
		for _, c := range []int64{open, hidden} {
			got := r.Do("ada", "GET", fmt.Sprint("/v3/channels/", c), nil).Want(200)
			if got.Str("owner.type") != "User" || got.Int("owner.id") != int64(r.Person("ada").ID) || !got.Bool("can.destroy") {
				t.Errorf("the channel went to %v", got.Get("owner"))
			}
			if n := got.Len("collaborators"); n != 0 {
				t.Errorf("%d collaborators", n)
			}
		}
		r.Do("max", "GET", fmt.Sprint("/v3/channels/", hidden), nil).Want(404)
		r.Do("ada", "GET", fmt.Sprint("/v3/blocks/", block), nil).Want(200)
		if n := r.Do("ada", "GET", "/v3/users/ada", nil).Want(200).Int("counts.channels"); n != 2 {
			t.Errorf("ada has %d channels", n)
		}
		if n := r.Do("eve", "GET", "/v3/users/ada", nil).Want(200).Int("counts.channels"); n != 1 {
			t.Errorf("eve sees %d channels of ada", n)
		}
		after := r.Do("eve", "GET", fmt.Sprint("/v3/channels/", helped), nil, "If-None-Match", helpedTag).Want(200)
		if after.Int("counts.collaborators") != 0 {
			t.Error("the group still collaborates")
		}
		r.Do("max", "GET", fmt.Sprint("/v3/channels/", helped), nil).Want(404)
		if n := r.Do("", "GET", "/v3/users/tom", nil).Want(200).Int("counts.following"); n != 0 {
			t.Errorf("tom follows %d", n)
		}
		if n := r.Do("", "GET", "/v3/users/max/groups", nil).Want(200).Int("meta.total_count"); n != 0 {
			t.Errorf("max is in %d groups", n)
		}
		if slug := r.Do("ada", "POST", "/v3/groups", `{"name":"Society"}`).Want(201).Str("slug"); slug == "society" {
			t.Error("the slug of a deleted group was given again")
		}
	})
}

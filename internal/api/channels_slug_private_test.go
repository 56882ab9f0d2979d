package api_test

import (
	"fmt"
	"regexp"
	"sync"
	"testing"

	"vitrine/internal/apptest"
)

// TestSlugOfPrivate: the slug of a private channel always has a random suffix, so that requesting its title as a slug
// reveals nothing.
func TestSlugOfPrivate(t *testing.T) {
	t.Parallel()
	ended := func(base string) *regexp.Regexp { return regexp.MustCompile("^" + base + "-[0-9a-z]{11}$") }
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		made := r.Do("ada", "POST", "/v3/channels", `{"title":"Merger","visibility":"private"}`).Want(201)
		at := fmt.Sprint("/v3/channels/", made.Int("id"))
		had := []string{made.Str("slug")}
		put := func(body string, want *regexp.Regexp) {
			t.Helper()
			slug := r.Do("ada", "PUT", at, body).Want(200).Str("slug")
			if !want.MatchString(slug) {
				t.Errorf("%s gives %q, want %s", body, slug, want)
			}
			had = append(had, slug)
		}
		if !ended("merger").MatchString(had[0]) {
			t.Errorf("made as %q", had[0])
		}
		put(`{"description":"Hush"}`, regexp.MustCompile("^"+had[0]+"$"))
		put(`{"title":"MERGER!"}`, regexp.MustCompile("^"+had[0]+"$"))
		put(`{"title":"Takeover"}`, ended("takeover"))
		put(`{"title":"Merger"}`, ended("merger"))
		for _, title := range []string{"Merger", "Takeover"} { // a stranger can use both titles, and learns nothing
			slug := r.Do("ben", "POST", "/v3/channels", map[string]any{"title": title}).Want(201).Str("slug")
			if ended(".*").MatchString(slug) {
				t.Errorf("%q gives a stranger %q", title, slug)
			}
		}
		for _, slug := range had {
			if id := r.Do("ada", "GET", "/v3/channels/"+slug, nil).Want(200).Int("id"); id != made.Int("id") {
				t.Errorf("%s leads to %d", slug, id)
			}
			r.Do("ben", "GET", "/v3/channels/"+slug, nil).Want(404)
		}
		r.Do("ada", "DELETE", at, nil).Want(204)
	})
}

// TestSlugOfOpened: a channel that is opened gets the plain slug if it is free, and one with a random suffix if it is
// made private again. All of its slugs keep leading to it and are never assigned to another channel.
func TestSlugOfOpened(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		made := r.Do("ada", "POST", "/v3/channels", `{"title":"Atlas","visibility":"private"}`).Want(201)
		at := fmt.Sprint("/v3/channels/", made.Int("id"))
		closed := r.Do("ada", "PUT", at, `{"visibility":"closed"}`).Want(200).Str("slug")
		public := r.Do("ada", "PUT", at, `{"visibility":"public"}`).Want(200).Str("slug")
		private := r.Do("ada", "PUT", at, `{"visibility":"private"}`).Want(200).Str("slug")
		again := r.Do("ada", "PUT", at, `{"visibility":"public"}`).Want(200).Str("slug")
		if closed != "atlas" || public != "atlas" || private == "atlas" || again != "atlas" {
			t.Errorf("closed %q, public %q, private %q, public again %q", closed, public, private, again)
		}
		for _, slug := range []string{made.Str("slug"), "atlas", private} {
			if id := r.Get("", "/v3/channels/%s", slug).Int("id"); id != made.Int("id") {
				t.Errorf("%s leads to %d", slug, id)
			}
		}
		other := r.Do("ben", "POST", "/v3/channels", `{"title":"Atlas","visibility":"private"}`).Want(201)
		opened := r.Do("ben", "PUT", fmt.Sprint("/v3/channels/", other.Int("id")), `{"visibility":"public"}`).Want(200).Str("slug")
		if opened != other.Str("slug") {
			t.Errorf("without the plain slug it becomes %q, was %q", opened, other.Str("slug"))
		}
		turned := r.Do("ben", "PUT", fmt.Sprint("/v3/channels/", other.Int("id")), `{"visibility":"private"}`).Want(200).Str("slug")
		if turned != opened {
			t.Errorf("turned private it becomes %q, was %q", turned, opened)
		}
		both := r.Do("ben", "PUT", fmt.Sprint("/v3/channels/", other.Int("id")), `{"visibility":"closed","title":"Globe"}`).Want(200).Str("slug")
		if both != "globe" {
			t.Errorf("opened with another title it is %q", both)
		}
		r.Do("ada", "DELETE", at, nil).Want(204)
		if slug := r.Do("ben", "POST", "/v3/channels", `{"title":"Atlas"}`).Want(201).Str("slug"); slug == "atlas" {
			t.Error("the slug of a channel that was public is given again")
		}
	})
}

// TestSlugsOpenedAtOnce: of several channels with the same title that are opened or created concurrently, one gets the
// plain slug.
func TestSlugsOpenedAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Do("ada", "POST", "/v3/groups", `{"name":"Guild"}`).Want(201).Int("id")
		owned := func(visibility string) map[string]any {
			return map[string]any{"title": "Race", "visibility": visibility, "owner": map[string]any{"type": "Group", "id": group}}
		}
		var ids []int64
		for range 6 {
			ids = append(ids, r.Do("ada", "POST", "/v3/channels", owned("private")).Want(201).Int("id"))
		}
		slugs := make([]string, 2*len(ids))
		var all sync.WaitGroup
		for i, id := range ids {
			all.Go(func() {
				slugs[i] = r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", id), `{"visibility":"public"}`).Want(200).Str("slug")
			})
			all.Go(func() {
				slugs[len(ids)+i] = r.Do("ada", "POST", "/v3/channels", owned("closed")).Want(201).Str("slug")
			})
		}
		all.Wait()
		plain, seen := 0, map[string]bool{}
		for _, slug := range slugs {
			seen[slug] = true
			if slug == "race" {
				plain++
			}
		}
		if plain != 1 || len(seen) != len(slugs) {
			t.Errorf("the slugs are %q", slugs)
		}
	})
}

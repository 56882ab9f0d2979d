package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// cursorLists are the lists with cursors. Bob and Ada have several items in each.
var cursorLists = []string{"/v3/me/feed?", "/v3/me/notifications?", "/v3/me/notifications?unread=true&"}

// pagedPeople makes ada and bob follow each other and do things.
func pagedPeople(p *people) {
	followAs(p.Rig, "ada", "users/bob")
	followAs(p.Rig, "bob", "users/ada")
	for range 3 {
		comment(p.Rig, "ada", p.block, "hi @bob")
		comment(p.Rig, "bob", p.block, "hi @ada")
	}
}

// A cursor only works for its list and user.
func TestCursorsOfOthers(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		pagedPeople(p)
		before := p.Dump()
		cursors := map[string]map[string]string{} // by user and list
		for _, who := range []string{"ada", "bob"} {
			cursors[who] = map[string]string{}
			for _, list := range cursorLists {
				page := p.Get(who, "%slimit=1", list)
				cursors[who][list] = page.Str("meta.next_cursor")
			}
		}
		for _, who := range []string{"ada", "bob"} {
			for _, list := range cursorLists {
				for maker, made := range cursors {
					for from, cursor := range made {
						for _, direction := range []string{"next", "prev"} {
							path := list + direction + "=" + cursor
							if maker == who && from == list {
								p.Get(who, "%s", path)
								continue
							}
							refused(t, at("%s's cursor of %s", maker, from)+" for "+who+": "+path, p.Do(who, "GET", path, nil),
								http.StatusBadRequest, direction+": is not a cursor of this list")
						}
					}
				}
			}
		}
		p.unchanged(t, before, "reading")
	})
}

// Editing any character of a cursor makes it invalid.
func TestCursorsEdited(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		pagedPeople(p)
		for _, list := range cursorLists {
			good := p.Get("ada", "%slimit=1", list).Str("meta.next_cursor")
			edited := []string{"", "x", "null", "0", good[1:], good[:len(good)-1], good + "A", good + "=", good + good, strings.ToLower(good),
				strings.ToUpper(good), strings.Repeat("A", len(good)), strings.Repeat("A", 10_000), good + strings.Repeat("A", 10_000), "-1", twenty}
			for i := range good {
				other := byte('A')
				if good[i] == other {
					other = 'B'
				}
				edited = append(edited, good[:i]+string(other)+good[i+1:])
			}
			for _, cursor := range edited {
				for _, direction := range []string{"next", "prev"} {
					res := p.Do("ada", "GET", list+direction+"="+cursor, nil)
					refused(t, at("%s%s=%.40s of %.40s", list, direction, cursor, good), res, http.StatusBadRequest,
						direction+": is not a cursor of this list")
				}
			}
			for query, errs := range map[string][]string{
				"next=" + good + "&prev=" + good: {"next: cannot be given together with prev", "prev: cannot be given together with next"},
				"next=x&prev=":                   {"next: cannot be given together with prev", "prev: cannot be given together with next"},
				"next=" + good + "&next=" + good: {"next: is given more than once"},
				"next=%00" + good:                {"next: must not contain NUL"},
				"prev=%ff":                       {"prev: is not valid UTF-8"},
				"prev=" + good + "%20":           {"prev: is not a cursor of this list"},
				"prev=%0A" + good:                {"prev: is not a cursor of this list"},
				"next=" + good + "&limit=0":      {"limit: must be at least 1"},
				"limit=101":                      {"limit: must be at most 100"},
				"limit=" + twenty:                {"limit: " + overint, "limit: must be at most 100"},
			} {
				refused(t, at("%s%.80s", list, query), p.Do("ada", "GET", list+query, nil), http.StatusBadRequest, errs...)
			}
		}
		// Another spelling of a parameter gives the same page.
		for _, list := range cursorLists {
			good := p.Get("ada", "%slimit=1", list).Str("meta.next_cursor")
			plain, escaped := p.Get("ada", "%snext=%s", list, good), p.Get("ada", "%snext=%%%02X%s", list, good[0], good[1:])
			if string(plain.Body) != string(escaped.Body) {
				t.Errorf("%s: %s and %s", list, plain.Body, escaped.Body)
			}
		}
	})
}

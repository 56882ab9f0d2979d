package api_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Highlights are annotations of the Web Annotation Data Model, which only their reader sees.
func TestHighlights(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		block := r.Block("ada", "Moss is green. It grows on *stone*, and moss dies.", r.Channel("ada", "Open", "public"))
		secret := r.Block("ada", "secret moss", r.Channel("ada", "Shut", "private"))
		of := func(id int64) string { return fmt.Sprintf("/ext/v1/blocks/%d/highlights", id) }
		quote := func(exact, more string) string {
			return `{"@context":"http://www.w3.org/ns/anno.jsonld","type":"Annotation","target":{"source":"https://x.example","selector":[{"type":"TextPositionSelector","start":40,"end":44},{"type":"TextQuoteSelector","exact":"` + exact + `"}]}` + more + `}`
		}
		made := r.Do("bob", "POST", of(block), quote("moss", `,"body":{"type":"TextualBody","value":"Which?"}`)).Want(201)
		if kind := made.Header.Get("Content-Type"); kind != `application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"` {
			t.Errorf("Content-Type %s", kind)
		}
		own := strings.TrimPrefix(made.Header.Get("Location"), apptest.Base)
		if made.Str("id") != apptest.Base+own || made.Str("motivation") != "commenting" || made.Str("body.value") != "Which?" ||
			made.Str("target.selector.0.prefix") == "" || made.Int("target.selector.1.start") != 38 {
			t.Errorf("%s: %s", own, made.Body)
		}
		r.Do("bob", "POST", of(block), quote("It grows on stone", "")).Want(201)
		if again := r.Do("bob", "POST", of(block), quote("moss", "")).Want(201); again.Str("id") != made.Str("id") {
			t.Errorf("the same passage is highlighted twice: %s", again.Body)
		}
		for body, status := range map[string]int{quote("fern", ""): 422, quote(" ", ""): 400, quote(strings.Repeat("x", 2001), ""): 400, `{}`: 400,
			`{"target":{"selector":[]}}`: 400, `{"target":{"selector":[{"type":"FragmentSelector"}]}}`: 400,
			quote("moss", `,"body":{"value":"`+strings.Repeat("x", 5001)+`"}`): 400, quote("moss", `,"body":{"value":"\u0000"}`): 400} {
			r.Do("bob", "POST", of(block), body).Want(status)
		}
		list := r.Do("bob", "GET", of(block), nil).Want(200)
		if list.Str("type") != "AnnotationPage" || list.Len("items") != 2 || list.Str("items.0.target.selector.0.exact") != "It grows on stone" || list.Int("partOf.total") != 2 {
			t.Errorf("%s", list.Body)
		}
		first := r.Do("bob", "GET", "/ext/v1/highlights?per=1", nil).Want(200)
		if first.Len("items") != 1 || first.Int("partOf.total") != 2 || first.Str("next") != apptest.Base+"/ext/v1/highlights?page=2&per=1" {
			t.Errorf("%s", first.Body)
		}
		if got := r.Do("bob", "PUT", own, `{"body":{"value":"Feather moss"}}`).Want(200); got.Str("body.value") != "Feather moss" {
			t.Errorf("%s", got.Body)
		}
		if got := r.Do("bob", "PUT", own, `{}`).Want(200); got.Str("motivation") != "highlighting" {
			t.Errorf("%s", got.Body)
		}
		for _, other := range []string{"ada", "eve"} {
			if got := r.Do(other, "GET", of(block), nil).Want(200); got.Len("items") != 0 {
				t.Errorf("%s sees %s", other, got.Body)
			}
			r.Do(other, "GET", own, nil).Want(404)
			r.Do(other, "PUT", own, `{}`).Want(404)
			r.Do(other, "DELETE", own, nil).Want(404)
		}
		r.Do("bob", "GET", of(secret), nil).Want(404)
		r.Do("bob", "POST", of(secret), quote("moss", "")).Want(404)
		for _, path := range []string{own, of(block), "/ext/v1/highlights"} {
			r.Do("", "GET", path, nil).Want(401)
		}
		r.Do("", "POST", of(block), quote("moss", "")).Want(401)
		r.Do("bob", "DELETE", own, nil).Want(204)
		r.Do("bob", "GET", own, nil).Want(404)
	})
}

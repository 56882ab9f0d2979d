package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Paths may have doubled and trailing slashes, singular or plural, slugs or ids.
func TestV2AddressesAreOne(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	group := w.Get("ada", "/v3/groups/%d", w.Group("Crew", "ada")).Str("slug")
	closed, ada := at("%d", w.closed), at("%d", w.Person("ada").ID)
	for _, same := range [][]string{
		{"channels/closed", "channels/closed/", "/channels/closed", "channels//closed//", "channel/closed", "//channel//closed///",
			"channels/" + closed, "channel/" + closed + "/", "channels/clo%73ed", "channels/closed/?per=20"},
		{"channels/closed/contents", "channel/closed/contents/", "channel/" + closed + "//contents"},
		{"channels/closed/feed", "channel/closed/feed", "channel/" + closed + "/feed/"},
		{"channels", "channels/", "channels//", "channel", "/channels"},
		{at("blocks/%d", w.block), at("block/%d/", w.block), at("/block//%d", w.block)},
		{at("blocks/%d/channels", w.block), at("block/%d/channels/", w.block)},
		{"users/ada", "user/ada", "users/ada/", "user//" + ada, "users/" + ada},
		{"users/ada/feed?page=1", "user/ada/feed?page=1&per=50", "user/" + ada + "/feed/?page=1"},
		{"groups/" + group, "group/" + group, "group//" + group + "/"},
		{"search?q=text", "/search?q=text", "search/?q=text", "//search//?q=text"},
		{"search/channels?q=open", "/search/channels?q=open", "search/channels/?q=open"},
		{"feed/global", "feed/global/", "/feed//global"},
		{"openapi.json", "openapi.json/"},
	} {
		want := w.Get("ada", "/v2/%s", same[0])
		for _, path := range same[1:] {
			if got := w.Do("ada", "GET", "/v2/"+path, nil); got.Status != 200 || string(got.Body) != string(want.Body) {
				t.Errorf("%s is another than %s: %d %.200s", path, same[0], got.Status, got.Body)
			}
			head := w.Do("ada", "HEAD", "/v2/"+path, nil)
			if head.Status != 200 || len(head.Body) != 0 || head.Header.Get("ETag") != want.Header.Get("ETag") {
				t.Errorf("HEAD %s: %d %q, ETag %s, want %s", path, head.Status, head.Body, head.Header.Get("ETag"), want.Header.Get("ETag"))
			}
		}
	}
	w.Do("ada", "DELETE", at("/v2/channel/closed/blocks/%d/", w.block), nil).Want(204)
	w.Do("ada", "POST", "/v2//channel/closed//blocks/?content=x", nil).Want(200)
}

// Unknown paths are 404 for any method; others list their methods.
func TestV2UnknownAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	before := w.Dump()
	for _, path := range []string{"nothing", "/", "//", "channels/closed/nothing", "channels/closed/skeleton", "channels/closed/is_muted",
		"channels/closed/mute", "channels/closed/share", "channels/closed/collaborators/invite", "search/explore", "search/connection",
		"users/ada/search", "me/channels", "accounts/x", "feed/x", "notifications/x", "openapi", "openapi.yaml", "blocks", "users", "groups",
		"connections", at("blocks/%d/selection", w.block), "channels/closed/sort/x",
		"Channels/closed", "a/b/c/d/e/f/g", "channels/closed/blocks/x/selection/y", "channelses/closed", "searches?q=x", strings.Repeat("x/", 2_000)} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"} {
			res := w.Do("ada", method, "/v2/"+path, nil)
			if res.Status == http.StatusMethodNotAllowed { // another method exists
				refusedV2(t, method+" "+path, res, http.StatusMethodNotAllowed, "This address does not take "+method)
				if allow := strings.Split(res.Header.Get("Allow"), ", "); slices.Contains(allow, method) || len(allow) < 2 {
					t.Errorf("%s %s: Allow %q", method, path, allow)
				}
				continue
			}
			refusedV2(t, method+" "+path, res, http.StatusNotFound, v2NotFound)
		}
	}
	for path, allow := range map[string]string{
		"channels": "GET, POST, HEAD, OPTIONS", "channel/closed/": "GET, PUT, DELETE, HEAD, OPTIONS", "channels/closed/sort": "PUT, OPTIONS",
		"channels//closed/collaborators": "GET, POST, PUT, DELETE, HEAD, OPTIONS", "channels/closed/follow": "POST, DELETE, OPTIONS",
		"channels/closed/connections": "GET, POST, HEAD, OPTIONS", "block/1": "GET, PUT, HEAD, OPTIONS", "connections/1": "DELETE, OPTIONS",
		"connections/1/selection": "PUT, OPTIONS", "me": "GET, HEAD, OPTIONS", "notifications/clear": "POST, OPTIONS", "search": "GET, HEAD, OPTIONS",
		"blocks/1/comments/1": "PUT, DELETE, OPTIONS", "openapi.json": "GET, HEAD, OPTIONS",
	} {
		res := w.Do("", "PATCH", "/v2/"+path, `{}`)
		refusedV2(t, "PATCH "+path, res, http.StatusMethodNotAllowed, "This address does not take PATCH")
		options := w.Do("", "OPTIONS", "/v2/"+path, nil).Want(http.StatusNoContent)
		for name, res := range map[string]*apptest.Response{"PATCH": res, "OPTIONS": options} {
			got, want := strings.Split(res.Header.Get("Allow"), ", "), strings.Split(allow, ", ")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s %s: Allow %q, want %q", name, path, res.Header.Get("Allow"), allow)
			}
		}
	}
	w.unchanged(t, before, "addresses that are none")
}

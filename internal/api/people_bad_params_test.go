package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestPeopleBadParameters(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		const byTime = "sort: must be one of created_at_desc, created_at_asc"
		sorts := map[string]string{
			p.crew("/members"): "", p.crew("/invitations"): "",
			p.crew("/followers"): byTime, "/v3/users/ada/followers": byTime, "/v3/users/ada/following": byTime,
			at("/v3/channels/%d/followers", p.open): byTime, at("/v3/blocks/%d/comments", p.block): byTime,
			"/v3/users/ada/groups": "sort: must be one of name_asc, name_desc, created_at_asc, created_at_desc, updated_at_asc, updated_at_desc",
		}
		for path, sort := range sorts {
			p.Get("ada", "%s?per=100&page=1&v=1699&1699&unknown=%%00", path)
			if past := p.Get("ada", "%s?page=9223372036854775807", path); past.Len("data") != 0 {
				t.Errorf("%s: past the end there is %s", path, past.Body)
			}
			tests := map[string][]string{
				"per=0&page=0":       {"page: must be at least 1", "per: must be at least 1"},
				"per=101":            {"per: must be at most 100"},
				"per=x":              {"per: must be an integer"},
				"page=" + twenty:     {"page: " + overint},
				"page=%00":           {"page: must not contain NUL"},
				"page=\xff":          {"page: is not valid UTF-8"},
				"sort=best&per=0":    {"per: must be at least 1", sort},
				"sort=%ff":           {"sort: is not valid UTF-8"},
				"per=24&per=24":      {"per: is given more than once"},
				"per=%zz":            {"per: is not encoded as URLs are (percent signs, semicolons)"},
				"page=1&per=1;per=2": {"per: is not encoded as URLs are (percent signs, semicolons)"},
			}
			for query, errs := range tests {
				if sort == "" && strings.Contains(query, "sort") {
					continue
				}
				refused(t, path+"?"+query, p.Do("ada", "GET", path+"?"+query, nil), http.StatusBadRequest, errs...)
			}
		}
		refused(t, "type", p.Do("ada", "GET", "/v3/users/ada/following?type=Block", nil), http.StatusBadRequest,
			"type: must be one of User, Channel, Group")
	})
}

// numberedTouches are requests with an id, namedTouches those with an id or a slug.
var (
	numberedTouches = []touch{
		{"GET", "/v3/blocks/%s/comments", ""}, {"POST", "/v3/blocks/%s/comments", `{"body":"x"}`},
		{"DELETE", "/v3/comments/%s", ""}, {"PATCH", "/ext/v1/comments/%s", `{"body":"x"}`},
		{"POST", "/v3/me/notifications/%s/read", ""}, {"DELETE", "/v3/groups/crew/members/%s", ""},
		{"DELETE", "/v3/groups/crew/invitations/%s", ""},
	}
	groupTouches = []touch{
		{"GET", "/v3/groups/%s", ""}, {"PUT", "/v3/groups/%s", `{"name":"x"}`}, {"DELETE", "/v3/groups/%s", ""},
		{"GET", "/v3/groups/%s/members", ""}, {"POST", "/v3/groups/%s/members", `{"invite_token":"x"}`},
		{"DELETE", "/v3/groups/%s/members/me", ""}, {"GET", "/v3/groups/%s/followers", ""},
		{"GET", "/v3/groups/%s/invitations", ""}, {"POST", "/v3/groups/%s/invitations", `{"email":"x@example.org"}`},
		{"GET", "/v3/groups/%s/invite", ""}, {"POST", "/v3/groups/%s/invite", ""}, {"DELETE", "/v3/groups/%s/invite", ""},
		{"GET", "/ext/v1/groups/%s/follow", ""}, {"PUT", "/ext/v1/groups/%s/follow", ""}, {"DELETE", "/ext/v1/groups/%s/follow", ""},
	}
	channelTouches = []touch{
		{"GET", "/v3/channels/%s/followers", ""}, {"GET", "/ext/v1/channels/%s/follow", ""},
		{"PUT", "/ext/v1/channels/%s/follow", ""}, {"DELETE", "/ext/v1/channels/%s/follow", ""},
	}
	userTouches = []touch{
		{"GET", "/v3/users/%s/followers", ""}, {"GET", "/v3/users/%s/following", ""}, {"GET", "/v3/users/%s/groups", ""},
		{"GET", "/ext/v1/users/%s/follow", ""}, {"PUT", "/ext/v1/users/%s/follow", ""}, {"DELETE", "/ext/v1/users/%s/follow", ""},
	}
)

func (c touch) at(id string) touch { return touch{c.method, at(c.path, id), c.body} }

func TestPeopleBadIDs(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		before := p.Dump()
		nowhere := []string{"0", "-1", twenty, "-" + twenty, "9223372036854775807", "9223372036854775808", "%00", "1%00", "%ff"}
		for _, op := range numberedTouches {
			for _, id := range nowhere {
				c := op.at(id)
				refused(t, c.method+" "+c.path, p.ask("ada", c), http.StatusNotFound)
			}
			for _, id := range []string{"crew", "1.5", "0x1", "1e0", "%20"} {
				c, name := op.at(id), "id"
				if i := strings.LastIndex(op.path, "members/"); i > 0 {
					name = "user_id"
				} else if strings.Contains(op.path, "invitations/") {
					name = "invitation_id"
				}
				refused(t, c.method+" "+c.path, p.ask("ada", c), http.StatusBadRequest, name+": must be an integer")
			}
		}
		// Slugs of another type or spelling are not found.
		of := map[string][]touch{"crew": groupTouches, "closed": channelTouches, "bob": userTouches}
		for own, ops := range of {
			strange := slices.Concat(nowhere, []string{"", "Crew", "CLOSED", "Bob", "%20", own + "%20", own + "-", ".", "%2e%2e", strings.Repeat("long-", 3000)})
			for other := range of {
				if other != own {
					strange = append(strange, other)
				}
			}
			for _, op := range ops {
				for _, id := range strange {
					c, status := op.at(id), http.StatusNotFound
					if strings.HasSuffix(c.path, "/") { // a path without its trailing slash is another one
						status = http.StatusMethodNotAllowed
					}
					refused(t, c.method+" "+at("%.80s", c.path), p.ask("ada", c), status)
				}
			}
		}
		p.unchanged(t, before, "bad ids")
	})
}

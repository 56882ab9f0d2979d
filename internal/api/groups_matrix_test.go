package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// who lists everyone in the matrix, in the order of its columns.
var who = []string{"", "eve", "max", "ada", "ada/read"}

// groupCase is an operation on ada's group with the members max and tom, an open invitation and an invite. {group},
// {tom}, {invitation} and {code} stand for these.
type groupCase struct {
	method, path, body string
	want               [5]int
}

var groupMatrix = []groupCase{
	{"POST", "/v3/groups", `{"name":"New"}`, [5]int{401, 201, 201, 201, 403}},
	{"GET", "/v3/groups/{group}", "", [5]int{200, 200, 200, 200, 200}},
	{"PUT", "/v3/groups/{group}", `{"name":"Other"}`, [5]int{401, 403, 403, 200, 403}},
	{"DELETE", "/v3/groups/{group}", "", [5]int{401, 403, 403, 204, 403}},
	{"GET", "/v3/groups/{group}/members", "", [5]int{200, 200, 200, 200, 200}},
	{"POST", "/v3/groups/{group}/members", `{"invite_token":"{code}"}`, [5]int{401, 201, 200, 200, 403}},
	{"POST", "/v3/groups/{group}/members", `{"invite_token":"{code}x"}`, [5]int{401, 403, 403, 403, 403}},
	{"POST", "/v3/groups/{group}/members", `{}`, [5]int{401, 403, 403, 403, 403}},
	{"DELETE", "/v3/groups/{group}/members/me", "", [5]int{401, 204, 204, 403, 403}},
	{"DELETE", "/v3/groups/{group}/members/{tom}", "", [5]int{401, 403, 403, 204, 403}},
	{"GET", "/v3/groups/{group}/invitations", "", [5]int{401, 403, 200, 200, 200}},
	{"POST", "/v3/groups/{group}/invitations", `{"email":"new@example.org"}`, [5]int{401, 403, 201, 201, 403}},
	{"DELETE", "/v3/groups/{group}/invitations/{invitation}", "", [5]int{401, 403, 204, 204, 403}},
	{"GET", "/v3/groups/{group}/invite", "", [5]int{401, 403, 200, 200, 200}},
	{"POST", "/v3/groups/{group}/invite", "", [5]int{401, 403, 200, 200, 403}},
	{"DELETE", "/v3/groups/{group}/invite", "", [5]int{401, 403, 204, 204, 403}},
	{"GET", "/v3/users/ada/groups", "", [5]int{200, 200, 200, 200, 200}},
}

// missing returns the status for a missing group: 401, and 403 for writes, come first.
func (c groupCase) missing(column int) int {
	if c.want[column] == 401 || column == 4 && c.method != http.MethodGet {
		return c.want[column]
	}
	return 404
}

func (c groupCase) do(r *apptest.Rig, as string, fill ...string) *apptest.Response {
	fills := strings.NewReplacer(fill...)
	if c.body == "" {
		return r.Do(as, c.method, fills.Replace(c.path), nil)
	}
	return r.Do(as, c.method, fills.Replace(c.path), fills.Replace(c.body))
}

// society creates a group of the matrix and returns the values of its placeholders.
func society(r *apptest.Rig) []string {
	r.Clock.Advance(25 * time.Hour) // so that the invitations stay within the daily limits
	id := int64(r.Group("Society", "ada", "max", "tom"))
	group := fmt.Sprint("/v3/groups/", id)
	code := r.Do("ada", "POST", group+"/invite", nil).Want(201).Str("code")
	invitation := r.Do("ada", "POST", group+"/invitations", `{"email":"open@example.org"}`).Want(201).Int("invitation.id")
	return []string{"{group}", fmt.Sprint(id), "{code}", code, "{invitation}", fmt.Sprint(invitation),
		"{tom}", fmt.Sprint(r.Person("tom").ID)}
}

func TestGroupsMatrix(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, c := range groupMatrix {
			for column, as := range who {
				if got := c.do(r, as, society(r)...); got.Status != c.want[column] {
					t.Errorf("%s %s %s as %q: %d, want %d: %s", c.method, c.path, c.body, as, got.Status, c.want[column], got.Body)
				}
				if !strings.Contains(c.path, "{group}") {
					continue
				}
				for _, ref := range []string{"no-such-group", "999999", "0", "99999999999999999999"} {
					got := c.do(r, as, "{group}", ref, "{tom}", "1", "{invitation}", "1", "{code}", "x")
					if got.Status != c.missing(column) {
						t.Errorf("%s %s as %q of the group %s: %d, want %d", c.method, c.path, as, ref, got.Status, c.missing(column))
					}
				}
			}
		}
	})
}

// `can` agrees with the result of the next request.
func TestGroupsCan(t *testing.T) {
	requests := map[string]groupCase{
		"update":             {method: "PUT", path: "/v3/groups/{group}", body: `{"description":"x"}`},
		"destroy":            {method: "DELETE", path: "/v3/groups/{group}"},
		"manage_members":     {method: "DELETE", path: "/v3/groups/{group}/members/{tom}"},
		"manage_invitations": {method: "POST", path: "/v3/groups/{group}/invitations", body: `{"email":"new@example.org"}`},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for ability, c := range requests {
			for _, as := range who {
				fill := society(r)
				can := groupCase{method: "GET", path: "/v3/groups/{group}"}.do(r, as, fill...).Want(200).Bool("can." + ability)
				if status := c.do(r, as, fill...).Status; can != (status < 300) {
					t.Errorf("%q: can.%s is %v, and then the answer is %d", as, ability, can, status)
				}
			}
		}
	})
}

package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// peopleWrites returns the write operations about people, each with a valid body.
func (p *people) peopleWrites() []write {
	return []write{
		{"createGroup", "POST", "/v3/groups", `{"name":"Another"}`},
		{"updateGroup", "PUT", p.crew(""), `{"description":"D"}`},
		{"joinGroup", "POST", p.crew("/members"), at(`{"invite_token":%q}`, p.code)},
		{"createGroupInvitation", "POST", p.crew("/invitations"), `{"email":"new@example.org"}`},
		{"createBlockComment", "POST", at("/v3/blocks/%d/comments", p.block), `{"body":"more"}`},
		{"updateComment", "PATCH", at("/ext/v1/comments/%d", p.comment), `{"body":"other"}`},
		{"updateMe", "PATCH", "/ext/v1/me", `{"name":"Other"}`},
	}
}

func TestPeopleMalformedBodies(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) { p.refuseMalformed(t, p.peopleWrites()) })
}

func TestBadComment(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		all := []badBody{
			bad(`{}`, "body: is required"),
			bad(`{"body":null}`, "body: must be a string"),
			bad(`{"body":7}`, "body: must be a string"),
			bad(`{"body":["x"]}`, "body: must be a string"),
			bad(`{"body":""}`, "body: must be at least 1 character long"),
			bad(`{"body":" \t\r\n "}`, "body: must not be blank"),
			bad(`{"body":"\u00a0\u2003\u3000"}`, "body: must not be blank"),
			bad(`{"body":"`+strings.Repeat("é", 10_001)+`"}`, "body: must be at most 10000 characters long"),
			bad(`{"body":"a\u0000b"}`, "body: must not contain NUL"),
			bad(`{"Body":"x"}`, "body: is required"),
		}
		p.refuse(t, "POST", at("/v3/blocks/%d/comments", p.block), all)
		p.refuse(t, "PATCH", at("/ext/v1/comments/%d", p.comment), all)
		long := at(`{"body":%q}`, strings.Repeat("é", 10_000))
		p.Do("ada", "POST", at("/v3/blocks/%d/comments", p.block), long).Want(http.StatusCreated)
	})
}

func TestBadGroup(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		shared := []badBody{
			bad(`{"name":null}`, "name: must be a string"),
			bad(`{"name":""}`, "name: must be at least 1 character long"),
			bad(`{"name":" \u00a0\n"}`, "name: must not be blank"),
			bad(`{"name":" ","avatar_url":"/a.png"}`, "avatar_url: must be an absolute http or https URL", "name: must not be blank"),
			bad(`{"name":"a\u0000"}`, "name: must not contain NUL"),
			bad(`{"name":"`+strings.Repeat("é", 256)+`"}`, "name: must be at most 255 characters long"),
			bad(`{"name":"x","description":"`+strings.Repeat("d", 20_001)+`"}`, "description: must be at most 20000 characters long"),
			bad(`{"name":"x","avatar_url":"javascript:alert(1)"}`, "avatar_url: must be an absolute http or https URL"),
			bad(`{"name":"x","avatar_url":7}`, "avatar_url: must be a string"),
			bad(`{"name":"x","avatar_url":"https://example.org/`+strings.Repeat("a", 4100)+`"}`, "avatar_url: must be at most 4096 characters long"),
			bad(`{"name":7,"avatar_url":"/a.png"}`, "avatar_url: must be an absolute http or https URL", "name: must be a string"),
		}
		p.refuse(t, "POST", "/v3/groups", append(shared, bad(`{}`, "name: is required"),
			bad(`{"name":"x","description":7}`, "description: must be a string")))
		p.refuse(t, "PUT", p.crew(""), append(shared, bad(`{"description":7}`, "description: must be a string or null")))
	})
}

func TestBadInvitation(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		const address = "email: must be an e-mail address"
		eve := p.Person("eve").ID
		p.refuse(t, "POST", p.crew("/invitations"), []badBody{
			bad(at(`{"user_id":%d,"email":"eve@example.org"}`, eve), "user_id, email: give one or the other, not both"),
			bad(at(`{"user_id":%d,"email":null}`, eve), "email: must be a string", "user_id, email: give one or the other, not both"),
			bad(`{}`, "user_id or email: one is required"),
			bad(`{"user_id":null}`, "user_id: must be an integer"),
			bad(`{"user_id":"eve"}`, "user_id: must be an integer"),
			bad(`{"user_id":0}`, "user_id: must be at least 1"),
			bad(`{"user_id":-1}`, "user_id: must be at least 1"),
			bad(`{"user_id":`+twenty+`}`, "user_id: "+overint),
			bad(`{"email":null}`, "email: must be a string"),
			bad(`{"email":""}`, address),
			bad(`{"email":"eve"}`, address),
			bad(`{"email":"eve@"}`, address),
			bad(`{"email":"@example.org"}`, address),
			bad(`{"email":"eve@a@example.org"}`, address),
			bad(`{"email":"Eve <eve@example.org>"}`, address),
			bad(`{"email":"eve@example.org, ada@example.org"}`, address),
			bad(`{"email":"eve@example.org\r\nBcc: ada@example.org"}`, address),
			bad(`{"email":"eve@example.org\u0000"}`, address, "email: must not contain NUL"),
			bad(`{"email":"`+strings.Repeat("x", 250)+`@example.org"}`, address),
		})
		p.refuse(t, "POST", p.crew("/members"), []badBody{
			bad(`{"invite_token":7}`, "invite_token: must be a string"),
			bad(`{"invite_token":"\u0000"}`, "invite_token: must not contain NUL"),
			bad(`{"invite_token":"`+strings.Repeat("x", 201)+`"}`, "invite_token: must be at most 200 characters long"),
		})
		p.refuses(t, http.StatusNotFound, "ada", touch{"POST", p.crew("/invitations"), `{"user_id":9223372036854775807}`})
	})
}

func TestPeopleRandomBodies(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		d := newDice(p.world)
		d.likely["name"] = []string{`"x"`, `"7"`, `"@ada"`, `"` + strings.Repeat("é", 255) + `"`}
		d.likely["body"] = []string{`"x"`, `"@bob @max @ada"`, `"@bob@max"`, `"\r\n@bob"`, `"[@bob](@max)"`, `"<@bob>"`, `"\u202e@bob"`}
		d.likely["email"] = []string{`"x@example.org"`, `"X@EXAMPLE.ORG"`, `"\"a b\"@example.org"`, `"é@example.org"`, `"a@[127.0.0.1]"`, `"a@b"`}
		d.likely["avatar_url"] = []string{`"https://example.org/a.png"`, `"//example.org"`}
		d.likely["invite_token"] = []string{at("%q", p.code)}
		statuses := p.throw(t, d, 1400, []thrown{
			{"POST", "/v3/groups", []string{"name", "description", "avatar_url"}},
			{"PUT", p.crew(""), []string{"name", "description", "avatar_url"}},
			{"POST", p.crew("/members"), []string{"invite_token"}},
			{"POST", p.crew("/invitations"), []string{"user_id", "email"}},
			{"POST", at("/v3/blocks/%d/comments", p.block), []string{"body"}},
			{"PATCH", at("/ext/v1/comments/%d", p.comment), []string{"body"}},
			{"PATCH", "/ext/v1/me", []string{"name", "bio"}},
		})
		for _, status := range []int{200, 201, 400, 403} {
			if statuses[status] == 0 {
				t.Errorf("no body led to %d: %v", status, statuses)
			}
		}
		// The accepted data can be read, and its mails can be sent.
		for _, path := range []string{"/v3/me", "/v3/users/ada/groups?per=100", p.crew("/invitations?per=100"),
			at("/v3/blocks/%d/comments?per=100", p.block)} {
			p.Get("ada", "%s", path)
		}
		p.Get("bob", "/v3/me/notifications?limit=100")
		p.WorkJobs()
	})
}

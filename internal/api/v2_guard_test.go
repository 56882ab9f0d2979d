package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/describe"
)

// fillV2 fills the placeholders of a path of version 2 with ids.
var fillV2 = strings.NewReplacer("{id}", "1", "{block_id}", "1", "{connection_id}", "1", "{comment_id}", "1")

const (
	unauthorizedV2 = `{"code":401,"message":"Unauthorized","description":"Invalid credentials."}`
	notFoundV2     = `{"code":404,"message":"Not Found","description":"The resource you are looking for does not exist."}`
)

// If the site is closed to guests, they can only read the description through version 2.
func TestV2GuestsClosed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.GuestsClosed = true })
	r.Block("ada", "Here", r.Channel("ada", "Open", "public"))
	for _, op := range r.S.API.V2.Operations() {
		if op.Method != http.MethodGet {
			continue
		}
		res := r.Do("", op.Method, fillV2.Replace(op.Path), nil)
		if op.ID == "getOpenapi" {
			res.Want(http.StatusOK)
		} else if got := strings.TrimSpace(string(res.Body)); res.Status != http.StatusUnauthorized || got != unauthorizedV2 {
			t.Errorf("%s answers a guest %d %s", op.ID, res.Status, got)
		}
	}
}

// Exactly the operations of version 2 that the description protects require a token, and they refuse with the sentences
// that programs compare.
func TestV2OperationsAreGuarded(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, op := range r.S.API.V2.Operations() {
		path := fillV2.Replace(op.Path)
		guest, reader := r.Do("", op.Method, path, nil), r.Do("ada/read", op.Method, path, nil)
		if got := strings.TrimSpace(string(guest.Body)); op.TokenRequired != (guest.Status == http.StatusUnauthorized && got == unauthorizedV2) {
			t.Errorf("%s answers a guest %d %s", op.ID, guest.Status, got)
		}
		if forbids := op.Scope == "write"; forbids != (reader.Status == http.StatusForbidden) {
			t.Errorf("%s answers a token that only reads %d %s", op.ID, reader.Status, reader.Body)
		}
		stale := r.Do("", op.Method, path, nil, "Authorization", "Bearer nobody")
		if got := strings.TrimSpace(string(stale.Body)); op.ID != "getOpenapi" && (stale.Status != http.StatusUnauthorized || got != unauthorizedV2) {
			t.Errorf("%s answers a token of nobody %d %s", op.ID, stale.Status, got)
		}
	}
	if got := strings.TrimSpace(string(r.Do("", "GET", "/v2/channels/none", nil).Want(http.StatusNotFound).Body)); got != notFoundV2 {
		t.Error(got)
	}
}

// Reads never refuse invalid ids, pages or orders. An invalid id is not found, and other invalid parameters are ignored.
func TestV2ReadsRefuseNothing(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	channel := r.Channel("ada", "Open", "public")
	block := r.Block("ada", "Here", channel)
	fill := func(path string) string {
		id := "ada"
		switch strings.Split(path, "/")[2] {
		case "channels":
			id = fmt.Sprint(channel)
		case "blocks":
			id = fmt.Sprint(block)
		case "groups":
			id = fmt.Sprint(r.Group("Moss "+path, "ada"))
		}
		return strings.ReplaceAll(path, "{id}", id)
	}
	odd := []string{"page=0", "page=-1", "page=x", "page=", "page=1.5", "page=9223372036854775808", "page=%00", "page=%zz", "page=1;2", "page=%ff",
		"page=1&page=2", "per=0", "per=-5", "per=400", "per=x", "per=99999999999999999999", "per=1&per=x", "sort=%00", "sort=x&direction=y",
		"direction=desc&direction=asc", "q=%00", "q=%zz", "q=%ff", "q=%22%27(*", "offset=-1", "offset=x", "kind=x&t=1&v=2&s=&date=%zz&force", "&&=&%", "page[]=1"}
	for _, op := range r.S.API.V2.Operations() {
		if op.Method != http.MethodGet {
			continue
		}
		path := fill(op.Path)
		want := r.Do("ada", "GET", path, nil).Status
		for _, query := range odd {
			req := r.Request("ada", "GET", path, nil)
			req.URL.RawQuery = query
			if got := r.Send(req).Status; got != want {
				t.Errorf("%s?%s: %d, want %d", path, query, got, want)
			}
		}
	}
	for _, id := range []string{"0", "-1", "x", "1.5", "9223372036854775808", "%00", "%ff", "%20", strings.Repeat("9", 400)} {
		for _, path := range []string{"/v2/blocks/%s", "/v2/blocks/%s/channels", "/v2/blocks/%s/comments", "/v2/channels/%s-none", "/v2/users/%s-none", "/v2/groups/%s-none"} {
			req := r.Request("ada", "GET", "/v2/", nil)
			address, err := url.Parse(apptest.Base + fmt.Sprintf(path, id) + "?x=%zz")
			if err != nil {
				t.Fatal(err)
			}
			req.URL = address
			if got := r.Send(req).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d", address, got)
			}
		}
	}
}

// Sends the requests of TestContractHolds to version 2, in the forms that its clients use.
func TestV2Holds(t *testing.T) {
	t.Parallel()
	contractHolds(t, func(w *world) []*describe.Description { return []*describe.Description{w.S.API.V2} }, 200, 204, 400, 401, 403, 404)
}

// version2 sometimes sends a body as a form or in the query, and spells a path differently.
func (f *fuzzer) version2(req *http.Request, body []byte) []byte {
	if f.seldom(10) {
		req.URL.Path = strings.Replace(req.URL.Path, pickOf(f, []string{"s/", "/v2/"}), pickOf(f, []string{"/", "s/", "s//", "/v2//"}), 1)
		req.URL.RawPath = ""
	}
	var fields object
	if f.IntN(2) > 0 || json.Unmarshal(body, &fields) != nil {
		return body
	}
	form := url.Values{}
	for name, value := range fields {
		if all, ok := value.([]any); ok {
			for _, one := range all {
				form.Add(name+"[]", fmt.Sprint(one))
			}
		} else {
			form.Set(name, fmt.Sprint(value))
		}
	}
	if f.seldom(2) {
		req.URL.RawQuery = strings.TrimPrefix(req.URL.RawQuery+"&"+form.Encode(), "&")
		req.Body, req.ContentLength = http.NoBody, 0
		return nil
	}
	body = []byte(form.Encode())
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return body
}

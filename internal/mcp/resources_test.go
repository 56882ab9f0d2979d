package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

func TestResources(t *testing.T) {
	r := apptest.New(t)
	own := r.Channel("ada", "Herons", "private")
	id := r.Block("ada", "A *grey* heron", own)
	read := func(as, uri string) *apptest.Response {
		return post(r, as, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri)).Want(200)
	}
	list := post(r, "ada/read", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`).Want(200)
	uri := list.Str("result.resources.0.uri")
	if list.Str("result.resources.0.title") != "Herons" || !strings.HasPrefix(uri, "vitrine://channel/herons") {
		t.Errorf("resources: %s", list.Body)
	}
	for _, uri := range []string{uri, fmt.Sprintf("vitrine://channel/%d", own), fmt.Sprintf("vitrine://block/%d", id)} {
		if got := read("ada/read", uri).Str("result.contents.0.text"); !strings.Contains(got, "<vitrine-data-") || !strings.Contains(got, "A *grey* heron") {
			t.Errorf("%s: %s", uri, got)
		}
		if got := read("bob", uri).Str("error.message"); !strings.Contains(got, "not found") {
			t.Errorf("%s for a stranger: %s", uri, got)
		}
	}
	for _, uri := range []string{"vitrine://block/x", "vitrine://block/-1", "vitrine://channel/", "file:///etc/passwd", "vitrine://channel/a%2fb", ""} {
		if got := read("ada", uri).Str("error.message"); !strings.Contains(strings.ToLower(got), "not found") {
			t.Errorf("%q: %s", uri, got)
		}
	}
}

func TestPrompts(t *testing.T) {
	r := apptest.New(t)
	if got := names(post(r, "ada", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`).Want(200), "prompts"); strings.Join(got, " ") != "collect find_company summarize_channel" {
		t.Errorf("prompts: %v", got)
	}
	get := func(arguments string) *apptest.Response {
		return post(r, "ada", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"collect","arguments":`+arguments+`}}`).Want(200)
	}
	if got := get(`{"topic":"herons"}`); !strings.Contains(got.Str("result.messages.0.content.text"), `"herons"`) {
		t.Errorf("prompt: %s", got.Body)
	}
	for _, arguments := range []string{`{}`, `{"topic":" "}`, `{"topic":"` + strings.Repeat("x", 1_001) + `"}`} {
		if got := get(arguments); !strings.Contains(got.Str("error.message"), "topic") {
			t.Errorf("%.30s: %s", arguments, got.Body)
		}
	}
}

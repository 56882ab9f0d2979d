package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// current and stateless are the supported revisions of the protocol with and without a handshake.
const (
	current   = "2025-11-25"
	stateless = "2026-07-28"
)

// post sends a JSON-RPC message as clients of the current revision do.
func post(r *apptest.Rig, as, body string, headers ...string) *apptest.Response {
	r.T.Helper()
	return r.Do(as, "POST", "/mcp", body, append([]string{"Accept", "application/json, text/event-stream",
		"Mcp-Protocol-Version", current}, headers...)...)
}

// call calls a tool and returns its result.
func call(r *apptest.Rig, as, tool string, arguments any) *apptest.Response {
	r.T.Helper()
	in, err := json.Marshal(arguments)
	if err != nil {
		r.T.Fatal(err)
	}
	return post(r, as, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, in)).Want(200)
}

// refused calls a tool and returns the text of its error.
func refused(r *apptest.Rig, as, tool string, arguments any) string {
	r.T.Helper()
	res := call(r, as, tool, arguments)
	if failed, ok := res.Lookup("result.isError"); !ok || failed != true {
		r.T.Errorf("%s %v succeeds: %s", tool, arguments, res.Body)
		return ""
	}
	return res.Str("result.content.0.text")
}

type args = map[string]any

func names(res *apptest.Response, list string) (all []string) {
	for i := range res.Len("result." + list) {
		all = append(all, res.Str(fmt.Sprintf("result.%s.%d.name", list, i)))
	}
	return all
}

// Scopes decide which tools exist, and each says what it does.
func TestTools(t *testing.T) {
	r := apptest.New(t)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	reading := strings.Join(names(post(r, "ada/read", list).Want(200), "tools"), " ")
	all := post(r, "ada", list).Want(200)
	if reading != "find_channels find_saved list_comments list_contents read_block read_channel read_user search" {
		t.Errorf("a token that reads has %s", reading)
	}
	if got := len(names(all, "tools")); got != 16 {
		t.Errorf("a token that writes has %d tools", got)
	}
	for i, name := range names(all, "tools") {
		at := fmt.Sprintf("result.tools.%d.", i)
		if all.Bool(at+"annotations.readOnlyHint") != slices.Contains(strings.Fields(reading), name) || all.Str(at+"title") == "" || all.Str(at+"description") == "" {
			t.Errorf("%s: %s", name, all.Body)
		}
		if _, ok := all.Lookup(at + "outputSchema.properties"); !ok {
			t.Errorf("%s has no schema of its result", name)
		}
	}
	if strings.Contains(string(all.Body), `"null"`) {
		t.Errorf("a schema has several types for one field: %s", all.Body)
	}
	t.Logf("the list of tools has %d bytes", len(all.Body))
}

func TestReadAndWrite(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		made := call(r, "ada", "create_channel", args{"title": "Herons", "visibility": "public", "key": "1"})
		slug := made.Str("result.structuredContent.channel.slug")
		if again := call(r, "ada", "create_channel", args{"title": "Herons", "visibility": "public", "key": "1"}); again.Str("result.structuredContent.channel.slug") != slug {
			t.Errorf("a repeated call created %s", again.Body)
		}
		saved := call(r, "ada", "save", args{"value": "A *grey* heron", "title": "Heron", "channels": []string{slug}, "key": "k"})
		block := saved.Int("result.structuredContent.item.id")
		if again := call(r, "ada", "save", args{"value": "A *grey* heron", "title": "Heron", "channels": []string{slug}, "key": "k"}); again.Int("result.structuredContent.item.id") != block {
			t.Errorf("a repeated call saved %s", again.Body)
		}
		call(r, "bob", "save", args{"value": "An egret", "channels": []string{slug}})

		contents := call(r, "ada/read", "list_contents", args{"channel": slug, "limit": 1, "fields": []string{"text"}})
		if contents.Int("result.structuredContent.total") != 2 || contents.Str("result.structuredContent.items.0.text") != "An egret" {
			t.Errorf("contents: %s", contents.Body)
		}
		if _, ok := contents.Lookup("result.structuredContent.items.0.url"); ok {
			t.Errorf("a field that was not requested: %s", contents.Body)
		}
		rest := call(r, "ada/read", "list_contents", args{"channel": slug, "limit": 1, "cursor": contents.Str("result.structuredContent.next_cursor")})
		if rest.Int("result.structuredContent.items.0.id") != block {
			t.Errorf("the second page: %s", rest.Body)
		}
		if _, ok := rest.Lookup("result.structuredContent.next_cursor"); ok {
			t.Errorf("the last page: %s", rest.Body)
		}

		connection := rest.Int("result.structuredContent.items.0.connection_id")
		call(r, "ada", "move", args{"connection_id": connection, "to": "top"})
		if top := call(r, "ada", "list_contents", args{"channel": slug}); top.Int("result.structuredContent.items.0.id") != block {
			t.Errorf("after moving: %s", top.Body)
		}
		if found := call(r, "bob/read", "search", args{"query": "grey type:text"}); found.Int("result.structuredContent.items.0.id") != block {
			t.Errorf("search: %s", found.Body)
		}
		call(r, "bob", "comment", args{"block_id": block, "body": "Lovely", "key": "c"})
		call(r, "bob", "comment", args{"block_id": block, "body": "Lovely", "key": "c"})
		if all := call(r, "ada", "list_comments", args{"block_id": block}); all.Len("result.structuredContent.items") != 1 || all.Str("result.structuredContent.items.0.by") != "bob" {
			t.Errorf("comments: %s", all.Body)
		}
		call(r, "ada", "update_block", args{"id": block, "title": "Grey heron"})
		read := call(r, "bob/read", "read_block", args{"id": block})
		if read.Str("result.structuredContent.block.title") != "Grey heron" || read.Str("result.structuredContent.channels.0.slug") != slug {
			t.Errorf("block: %s", read.Body)
		}
		call(r, "ada", "update_channel", args{"channel": slug, "description": "Wading birds", "visibility": "private"})
		if why := refused(r, "bob", "read_channel", args{"channel": slug}); why != "Not found" {
			t.Errorf("a private channel: %s", why)
		}
		if mine := call(r, "ada/read", "find_channels", args{"query": "her"}); mine.Str("result.structuredContent.items.0.title") != "Herons" {
			t.Errorf("channels: %s", mine.Body)
		}
		other := r.Channel("ada", "Birds", "closed")
		call(r, "ada", "connect", args{"block_id": block, "channels": []string{fmt.Sprint(other)}})
		call(r, "ada", "disconnect", args{"connection_id": connection})
		call(r, "ada", "create_channel", args{"title": "Egrets", "description": nil, "key": nil}).Str("result.structuredContent.channel.slug")
		if why := refused(r, "ada", "create_channel", args{"title": nil}); !strings.Contains(why, "title") {
			t.Errorf("a required argument that is null: %s", why)
		}
		if me := call(r, "ada/read", "read_user", args{}); me.Str("result.structuredContent.user.slug") != "ada" || me.Int("result.structuredContent.total") < 3 {
			t.Errorf("user: %s", me.Body)
		}
		if left := call(r, "ada", "read_block", args{"id": block}); left.Int("result.structuredContent.in_channels") != 1 {
			t.Errorf("block: %s", left.Body)
		}
	})
}

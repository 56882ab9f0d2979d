package describe_test

import (
	"net/http"
	"strings"
	"testing"
)

const (
	userJSON = `{"id":7,"type":"User","name":"Ada","slug":"ada","avatar":null,"initials":"A"}`
	linkJSON = `"_links":{"self":{"href":"https://api.example.org/v3/x"},"more":{"href":"https://api.example.org/v3/y"}}`
	timeJSON = `"created_at":"2024-05-01T12:30:00.000Z","updated_at":"2024-05-01T12:30:00.250Z"`
	textJSON = `{"id":1,"base_type":"Block","type":"Text","title":null,"state":"available","visibility":"public",` +
		`"comment_count":0,` + timeJSON + `,"user":` + userJSON + `,"metadata":{"shelf":"north"},` +
		`"content":{"markdown":"a","html":"<p>a</p>","plain":"a"},"source":null,` + linkJSON + `}`
	channelJSON = `{"id":2,"type":"Channel","slug":"a","title":"A","state":"available","visibility":"closed",` + timeJSON +
		`,"owner":` + userJSON + `,"counts":{"blocks":1,"channels":0,"contents":1,"collaborators":0},` + linkJSON + `}`
	pageJSON = `{"data":[` + textJSON + `,` + channelJSON + `],"meta":{"current_page":1,"next_page":null,"prev_page":null,` +
		`"per_page":24,"total_pages":1,"total_count":2,"has_more_pages":false}}`
	meJSON = `{"id":7,"type":"User","name":"Ada","slug":"ada","avatar":null,"initials":"A",` + timeJSON +
		`,"bio":null,"badge":null,"tier":"free","email":"ada@example.org",` +
		`"counts":{"channels":1,"followers":0,"following":0,"notifications":3},` + linkJSON + `}`
	missing = `{"error":"Not Found","code":404,"details":{"message":"There is no such block","errors":["a"]}}`
	limited = `{"error":{"type":"rate_limit","message":"m","tier":"guest","limit":30,"retry_after":9,"suggestions":[]}}`
)

func TestCheckResponse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, operation string
		status          int
		body            string
		old, new        string // replaced in body
		want            string
	}{
		{"block", "getBlock", 200, textJSON, "", "", ""},
		{"page", "getChannelContents", 200, pageJSON, "", "", ""},
		{"me", "getCurrentUser", 200, meJSON, "", "", ""},
		{"pending in a list", "getChannelContents", 200, pageJSON, `"type":"Text"`, `"type":"PendingBlock"`,
			"data[0].content: undeclared field"},
		{"no content", "deleteChannel", 204, "", "", "", ""},
		{"not modified", "getBlock", 304, "", "", "", ""},
		{"error", "getBlock", 404, missing, "", "", ""},
		{"error of the front", "getBlock", 405, missing, `"Not Found","code":404`, `"Method Not Allowed","code":405`, ""},
		{"too many", "getBlock", 429, limited, "", "", ""},
		{"too many, undeclared", "getOpenapiSpec", 429, limited, "", "", ""},

		{"unknown operation", "getNothing", 200, "", "", "", `operation: "getNothing" is not declared`},
		{"undeclared status", "getBlock", 201, textJSON, "", "", "status: 201 is not declared"},
		{"undeclared error", "getCurrentUser", 404, missing, "", "", "status: 404 is not declared"},
		{"body on 204", "deleteChannel", 204, "{}", "", "", "body: must be empty"},
		{"body on 304", "getBlock", 304, textJSON, "", "", "body: must be empty"},
		{"not JSON", "getBlock", 200, textJSON, `"id":1,`, `"id":1`, "body: is not valid JSON (at byte 8)"},
		{"missing field", "getBlock", 200, textJSON, `"base_type":"Block",`, ``, "base_type: is required"},
		{"null", "getBlock", 200, textJSON, `"visibility":"public"`, `"visibility":null`, "visibility: must be a string"},
		{"enum", "getBlock", 200, textJSON, `"visibility":"public"`, `"visibility":"closed"`,
			"visibility: must be one of public, private, orphan"},
		{"deep", "getChannelContents", 200, pageJSON, `"initials":"A"}`, `"initials":1}`,
			"data[0].user.initials: must be a string\ndata[1].owner.initials: must be a string"},
		{"nullable object", "getBlock", 200, textJSON, `"source":null`, `"source":{"url":"x"}`,
			"source.url: must be a canonical http or https URI"},
		{"nullable object of another type", "getBlock", 200, textJSON, `"source":null`, `"source":"x"`,
			"source: must be an object or null"},
		{"unknown kind", "getBlock", 200, textJSON, `"type":"Text"`, `"type":"Film"`,
			"type: must be one of Text, Image, Link, Attachment, Embed, PendingBlock"},
		{"no kind", "getBlock", 200, textJSON, `"type":"Text",`, ``,
			"type: is required"},
		{"seconds", "getBlock", 200, textJSON, `12:30:00.000Z`, `12:30:00Z`,
			"created_at: must be a UTC time with milliseconds such as 2024-05-01T12:30:00.000Z"},
		{"offset", "getBlock", 200, textJSON, `12:30:00.000Z`, `12:30:00.000+00:00`,
			"created_at: must be a UTC time with milliseconds such as 2024-05-01T12:30:00.000Z"},
		{"no such day", "getBlock", 200, textJSON, `2024-05-01T12:30:00.000Z`, `2024-02-30T12:30:00.000Z`,
			"created_at: must be a UTC time with milliseconds such as 2024-05-01T12:30:00.000Z"},
		{"relative link", "getBlock", 200, textJSON, `"https://api.example.org/v3/x"`, `"/v3/x"`,
			"_links.self.href: must be a canonical http or https URI"},
		{"undeclared", "getBlock", 200, textJSON, `"id":1,`, `"id":1,"class":"Text",`, "class: undeclared field"},
		{"undeclared below", "getChannelContents", 200, pageJSON, `"initials":"A"}`, `"initials":"A","class":"User"}`,
			"data[0].user.class: undeclared field\ndata[1].owner.class: undeclared field"},
		{"undeclared link field", "getBlock", 200, textJSON, `{"href":"https://api.example.org/v3/y"}`,
			`{"href":"https://api.example.org/v3/y","method":"GET"}`, "_links.more.method: undeclared field"},
		{"undeclared and invalid", "getCurrentUser", 200, meJSON, `"channels":1,`, `"channels":"1","groups":1,`,
			"counts.channels: must be an integer\ncounts.groups: undeclared field"},
		{"of another kind", "getBlock", 200, textJSON, `"source":null`, `"source":null,"embed":null`, "embed: undeclared field"},
		{"e-mail", "getCurrentUser", 200, meJSON, `ada@example.org`, `Ada <ada@example.org>`, "email: must be an e-mail address"},
		{"error without its status", "getBlock", 404, missing, `"Not Found","code":404`, `"Gone","code":410`,
			"code: must be the status, 404\nerror: must be the phrase of the status, \"Not Found\""},
		{"error with more", "getBlock", 404, missing, `"errors"`, `"trace":"x","errors"`, "details.trace: undeclared field"},
		{"429 as another error", "getBlock", 429, missing, "", "",
			"code: undeclared field\ndetails: undeclared field\nerror: must be an object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := tt.body
			if tt.old != "" {
				if !strings.Contains(body, tt.old) {
					t.Fatalf("nothing to replace: %s", tt.old)
				}
				body = strings.ReplaceAll(body, tt.old, tt.new)
			}
			header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
			if got := lines(load(t).CheckResponse(tt.operation, tt.status, header, []byte(body))); got != tt.want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", body, got, tt.want)
			}
		})
	}
}

func TestCheckResponseTypes(t *testing.T) {
	t.Parallel()
	d := load(t)
	tests := []struct{ operation, header, body, want string }{
		{"getOpenapiSpec", "application/yaml", "openapi: 3.1.0", ""},
		{"getOpenapiSpec", "application/yaml", "", "body: is empty"},
		{"getOpenapiSpec", "application/yaml", "\xff", "body: is not valid UTF-8"},
		{"getOpenapiSpec", "application/json", "{}", `Content-Type: "application/json" is not declared`},
		{"getOpenapiSpecJson", "application/json", string(d.JSON()), ""},
		{"getPing", "application/json", `{"status":"ok"}`, ""},
		{"getPing", "", `{"status":"ok"}`, `Content-Type: "" is not declared`},
		{"getPing", "text/html", `{"status":"ok"}`, `Content-Type: "text/html" is not declared`},
	}
	for _, tt := range tests {
		header := http.Header{}
		if tt.header != "" {
			header.Set("Content-Type", tt.header)
		}
		if got := lines(d.CheckResponse(tt.operation, 200, header, []byte(tt.body))); got != tt.want {
			t.Errorf("%s as %q: got %s, want %s", tt.operation, tt.header, got, tt.want)
		}
	}
}

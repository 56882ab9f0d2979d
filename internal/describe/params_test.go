package describe_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/describe"
)

// listing describes parameters of many kinds.
const listing = `
openapi: 3.1.0
paths:
  /listing:
    get:
      operationId: listing
      parameters:
      - {name: query, in: query, required: true, schema: {type: string, maxLength: 5}}
      - name: type
        in: query
        style: form
        explode: false
        schema: {type: array, maxItems: 3, items: {$ref: '#/components/schemas/Kind'}}
      - {name: after, in: query, schema: {type: string, format: date-time}}
      - {name: seed, in: query, schema: {type: integer}}
      - {name: open, in: query, schema: {type: boolean}}
  /batch/{batch_id}/{id}:
    parameters:
    - {name: batch_id, in: path, required: true, schema: {type: string, format: uuid}}
    get:
      operationId: batch
      parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
components:
  schemas:
    Kind: {type: string, enum: [Text, Image]}
`

func TestCheckParams(t *testing.T) {
	t.Parallel()
	own, err := describe.Load([]byte(listing))
	if err != nil {
		t.Fatal(err)
	}
	const encoding = ": is not encoded as URLs are (percent signs, semicolons)"
	const uuid = "3f0e9a3c-5b1e-4a86-9d0b-2f6f0a1c7d55"
	tests := []struct {
		operation, address, want string
		noSuchID                 bool
	}{
		{"getBlock", "/v3/blocks/12", "", false},
		{"getBlock", "/v3/blocks/9223372036854775807", "", false},
		{"getBlock", "/v3/blocks/9223372036854775808", "", true},
		{"getBlock", "/v3/blocks/0", "", true},
		{"getBlock", "/v3/blocks/-7", "", true},
		{"getBlock", "/v3/blocks/abc", "id: must be an integer", false},
		{"getBlock", "/v3/blocks/1.0", "id: must be an integer", false},
		{"getBlock", "/v3/blocks/1%32", "", false},
		{"getBlock", "/v3/blocks/%00", "", true},
		{"getBlock", "/v3/blocks", "", false},
		{"getBlock", "/v3/blocks/", "", true},
		{"getBlockConnections", "/v3/blocks//connections", "", true},
		{"getBlockConnections", "/v3/blocks/1/connections?per=1&per=1&page=0",
			"page: must be at least 1\nper: is given more than once", false},
		{"getChannel", "/v3/channels/reading-list", "", false},
		{"getChannel", "/v3/channels/0", "", false},
		{"getChannel", "/v3/channels/a%00", "", true},
		{"getChannel", "/v3/channels/%ff", "", true},
		{"getBlockConnections", "/v3/blocks/1/connections?metadata%5Bisbn%5D=123&meta=1&metadata=2",
			"metadata[isbn]: is not supported: this server cannot filter by metadata", false},
		{"getBlockConnections", "/v3/blocks/0/connections?per=0", "per: must be at least 1", true},

		{"getChannelContents", "/v3/channels/a/contents?page=2&per=100&sort=position_asc&user_id=3&v=1699&1699", "", false},
		{"getChannelContents", "/v3/channels/a/contents?per=101&page=0&sort=up&user_id=x",
			"page: must be at least 1\nper: must be at most 100\n" +
				"sort: must be one of position_asc, position_desc, created_at_asc, created_at_desc, updated_at_asc, updated_at_desc\n" +
				"user_id: must be an integer", false},
		{"getChannelContents", "/v3/channels/a/contents?per=1.5", "per: must be an integer", false},
		{"getChannelContents", "/v3/channels/a/contents?per=1e1", "per: must be an integer", false},
		{"getChannelContents", "/v3/channels/a/contents?per=", "per: must be an integer", false},
		{"getChannelContents", "/v3/channels/a/contents?per", "per: must be an integer", false},
		{"getChannelContents", "/v3/channels/a/contents?user_id=9223372036854775808", "user_id: must be a 64-bit integer", false},
		{"getChannelContents", "/v3/channels/a/contents?page=-9223372036854775809", "page: must be a 64-bit integer\npage: must be at least 1", false},
		{"getChannelContents", "/v3/channels/a/contents?per=1&per=x", "per: is given more than once", false},
		{"getChannelContents", "/v3/channels/a/contents?per=x&per=1", "per: is given more than once", false},
		{"getChannelContents", "/v3/channels/a/contents?p%65r=0", "per: must be at least 1", false},
		{"getChannelContents", "/v3/channels/a/contents?per=%zz&sort=%", "per" + encoding + "\nsort" + encoding, false},
		{"getChannelContents", "/v3/channels/a/contents?per=1;page=2", "per" + encoding, false},
		{"getChannelContents", "/v3/channels/a/contents?v=%zz&%zz=1&x;y", "", false},
		{"getChannelContents", "/v3/channels/a/contents?sort=a%00&user_id=%ff", "sort: must not contain NUL\nuser_id: is not valid UTF-8", false},

		{"listing", "/listing?query=", "", false},
		{"listing", "/listing", "query: is required", false},
		{"listing", "/listing?query=a+b%20c", "", false},
		{"listing", "/listing?query=x&open=true", "", false},
		{"listing", "/listing?query=x&open=false", "", false},
		{"listing", "/listing?query=x&open=yes", "open: must be a boolean", false},
		{"listing", "/listing?query=x&open=", "open: must be a boolean", false},
		{"listing", "/listing?query=äöüßéè", "query: must be at most 5 characters long", false},
		{"listing", "/listing?query=a&type=Text,Image&type=Text&seed=-4&after=2024-05-01T12:30:00%2B02:00", "", false},
		{"listing", "/listing?query=a&type=Text,Film&type=Image&type=x",
			"type: must have at most 3 items\ntype[1]: must be one of Text, Image\ntype[3]: must be one of Text, Image", false},
		{"listing", "/listing?query=a&after=2024-05-01", "after: must be a date and time such as 2024-05-01T12:30:00Z", false},
		{"listing", "/listing?query=a&after=2024-05-01T12:30:00,5Z", "after: must be a date and time such as 2024-05-01T12:30:00Z", false},
		{"batch", "/batch/" + uuid + "/1", "", false},
		{"batch", "/batch/" + strings.ToUpper(uuid) + "/1", "", false},
		{"batch", "/batch/" + uuid[:35] + "g/1", "batch_id: must be a UUID", false},
		{"batch", "/batch/" + uuid[1:] + "/0", "batch_id: must be a UUID", true},
	}
	for _, tt := range tests {
		t.Run(tt.operation+" "+tt.address, func(t *testing.T) {
			t.Parallel()
			op := load(t).Operation(tt.operation)
			if op == nil {
				op = own.Operation(tt.operation)
			}
			u, err := url.Parse(tt.address)
			if err != nil {
				t.Fatal(err)
			}
			found, noSuchID := op.CheckParams(u)
			if got := lines(found); got != tt.want || noSuchID != tt.noSuchID {
				t.Errorf("got %v:\n%s\nwant:\n%s", noSuchID, got, tt.want)
			}
		})
	}
}

func BenchmarkCheckParams(b *testing.B) {
	op := operation(b, "getChannelContents")
	u, err := url.Parse("/v3/channels/reading-list/contents?page=2&per=50&v=1699")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if found, _ := op.CheckParams(u); found != nil {
			b.Fatal(found)
		}
	}
}

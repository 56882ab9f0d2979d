package describe_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/describe"
)

// choices describes bodies with every sort of choice.
const choices = `
openapi: 3.1.0
paths:
  /invite:
    post:
      operationId: invite
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/Invite'}}}
  /batch:
    post:
      operationId: batch
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                invites: {type: array, items: {$ref: '#/components/schemas/Invite'}}
                owner:
                  oneOf: [{$ref: '#/components/schemas/Owner'}, {type: 'null'}]
                either:
                  oneOf: [{$ref: '#/components/schemas/Owner'}, {$ref: '#/components/schemas/Team'}, {type: 'null'}]
                small: {anyOf: [{type: integer, maximum: 9}, {type: string, maxLength: 1}]}
                fixed: {const: 1}
                open: {type: number, exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.25}
                odd: {oneOf: [{type: string}, {type: string, maxLength: 3}]}
                set: {type: array, uniqueItems: true}
                closed: {type: object, additionalProperties: false, minProperties: 1}
                never: {not: {type: string}}
                code: {type: string, pattern: '^[a-z]+$'}
              anyOf: [{required: [a], properties: {a: {type: integer}}}, {required: [b]}, {required: [c]}]
components:
  schemas:
    Invite:
      oneOf:
      - {type: object, required: [user_id], properties: {user_id: {type: integer}}, not: {required: [email]}}
      - {type: object, required: [email], properties: {email: {type: string, format: email}}, not: {required: [user_id]}}
    Owner:
      type: object
      required: [id, type]
      properties: {id: {type: integer}, type: {type: string, enum: [User]}}
    Team:
      type: object
      required: [id, type]
      properties: {id: {type: string}, type: {type: string, enum: [Group]}}
`

func TestChoices(t *testing.T) {
	t.Parallel()
	d, err := describe.Load([]byte(choices))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ operation, body, want string }{
		{"invite", ``, ""},
		{"invite", `{"user_id":1}`, ""},
		{"invite", `{"email":"ada@example.org"}`, ""},
		{"invite", `{}`, "user_id or email: one is required"},
		{"invite", `[]`, "body: must be an object"},
		{"invite", `null`, "body: must be an object"},
		{"invite", `{"user_id":1,"email":"ada@example.org"}`, "user_id, email: give one or the other, not both"},
		{"invite", `{"user_id":"1","email":"ada"}`,
			"email: must be an e-mail address\nuser_id: must be an integer\nuser_id, email: give one or the other, not both"},
		{"invite", `{"email":"Ada <ada@example.org>"}`, "email: must be an e-mail address"},

		{"batch", `{"a":1,"invites":[{"user_id":1},{},{"user_id":1.5}]}`,
			"invites[1].user_id or invites[1].email: one is required\ninvites[2].user_id: must be an integer"},
		{"batch", `{}`, "a, b or c: one is required"},
		{"batch", `{"a":"1"}`, "a: must be an integer"},
		{"batch", `{"a":"1","b":1}`, ""},
		{"batch", `{"a":1,"owner":{}}`, "owner.id: is required\nowner.type: is required"},
		{"batch", `{"a":1,"owner":{"id":1,"type":"Group"}}`, "owner.type: must be User"},
		{"batch", `{"a":1,"owner":7}`, "owner: must be an object or null"},
		{"batch", `{"a":1,"either":{"id":"x","type":"Team"}}`, "either.type: must be one of User, Group"},
		{"batch", `{"a":1,"either":{"id":"x"}}`, "either.type: is required"},
		{"batch", `{"a":1,"either":{"id":7,"type":"Group"}}`, "either.id: must be a string"},
		{"batch", `{"a":1,"either":[]}`, "either: must be an object or null"},
		{"batch", `{"a":1,"small":10}`, "small: must be at most 9"},
		{"batch", `{"a":1,"small":"ab"}`, "small: must be at most 1 character long"},
		{"batch", `{"a":1,"small":true}`, "small: must be an integer or string"},
		{"batch", `{"a":1,"fixed":2}`, "fixed: must be 1"},
		{"batch", `{"a":1,"open":1}`, "open: must be less than 1"},
		{"batch", `{"a":1,"open":0}`, "open: must be more than 0"},
		{"batch", `{"a":1,"open":0.3}`, "open: must be a multiple of 0.25"},
		{"batch", `{"a":1,"odd":"ab"}`, "odd: fits more than one of the allowed forms"},
		{"batch", `{"a":1,"set":[1,2,1]}`, "set: must not have the same item twice"},
		{"batch", `{"a":1,"closed":{"x":1,"y":2}}`, "closed.x: is not allowed\nclosed.y: is not allowed"},
		{"batch", `{"a":1,"closed":{}}`, "closed: must have at least 1 key"},
		{"batch", `{"a":1,"never":"x"}`, "never: does not fit the description"},
		{"batch", `{"a":1,"code":"7"}`, "code: must match ^[a-z]+$"},
	}
	for _, tt := range tests {
		if got := lines(d.Operation(tt.operation).CheckBody([]byte(tt.body))); got != tt.want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", tt.body, got, tt.want)
		}
	}
}

// TestManyViolations limits the response to a hundred lines, however long the body is.
func TestManyViolations(t *testing.T) {
	t.Parallel()
	body := `{"value":"a","channel_ids":[1],"unknown":[` + strings.TrimSuffix(strings.Repeat(`"\u0000",`, 151), ",") + `]}`
	found := operation(t, "createBlock").CheckBody([]byte(body))
	if len(found) != 101 || found[100].String() != "body: has 51 more violations" {
		t.Errorf("%d violations, the last: %s", len(found), found[len(found)-1])
	}
}

// TestTooMuchIsNotLookedAt checks that only one element beyond the limit of a list or object is
// validated, so that the work stays small for any body.
func TestTooMuchIsNotLookedAt(t *testing.T) {
	t.Parallel()
	repeat := func(s string) string { return strings.TrimSuffix(strings.Repeat(s+",", 1000), ",") }
	var keys []string
	for i := range 1000 {
		keys = append(keys, fmt.Sprintf(`"k%03d":[]`, i))
	}
	for name, tt := range map[string]struct {
		operation, body, first, last string
		n                            int
	}{
		"ids": {"createBlock", `{"value":"a","channel_ids":[` + repeat("{}") + `]}`,
			"channel_ids: must have at most 20 items", "channel_ids[9]: must be an integer or string", 22},
		"channels": {"createConnection", `{"connectable_id":1,"connectable_type":"Block","channels":[` + repeat("{}") + `]}`,
			"channels: must have at most 20 items", "channels[9].id: is required", 22},
		"metadata": {"createChannel", `{"title":"a","metadata":{` + strings.Join(keys, ",") + `}}`,
			"metadata: must have at most 50 keys", "metadata.k050: must be a string, number or boolean", 52},
		"nested": {"createBlock", `{"value":"a","channels":[{"id":1,"metadata":{` + strings.Join(keys, ",") + `}}]}`,
			"channels[0].metadata: must have at most 50 keys", "channels[0].metadata.k050: must be a string, number or boolean", 52},
	} {
		found := operation(t, tt.operation).CheckBody([]byte(tt.body))
		if len(found) != tt.n || found[0].String() != tt.first || found[len(found)-1].String() != tt.last {
			t.Errorf("%s: %d violations, %v", name, len(found), found)
		}
	}
}

// TestFieldNames checks that the keys of a client cannot break the message.
func TestFieldNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ key, want string }{
		{`a`, "metadata.a"},
		{`a-b_C9`, "metadata.a-b_C9"},
		{`a b`, `metadata."a b"`},
		{`a\nb`, `metadata."a\nb"`},
		{``, `metadata.""`},
		{strings.Repeat("é", 41), `metadata."` + strings.Repeat("é", 40) + `…"`},
	}
	for _, tt := range tests {
		found := operation(t, "updateConnection").CheckBody([]byte(`{"metadata":{"` + tt.key + `":[]}}`))
		if len(found) == 0 || found[len(found)-1].Field != tt.want {
			t.Errorf("%q: got %v", tt.key, found)
		}
	}
}

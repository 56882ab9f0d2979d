package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// dice generates bodies from all possible parts.
type dice struct {
	*rand.Rand
	scalars []string
	likely  map[string][]string // likely valid values by field
}

func newDice(w *world) *dice {
	d := &dice{Rand: rand.New(rand.NewPCG(1, 2)), scalars: []string{
		"null", "true", "0", "-0", "-1", "1", "1.0", "1.5", "1e0", "1E2", "1e-400", "1e400", "9223372036854775807",
		"9223372036854775808", "-9223372036854775808", "1234567890.12345678901234567890", `""`, `" "`, `"1"`, `"-1"`, `"closed"`,
		`"open"`, `"secret"`, `"ada"`, `"User"`, `"Group"`, `"Block"`, `"Channel"`, `"private"`, `"public"`, `"insert_at"`, `"move_up"`,
		`"https://www.example.org/x"`, `"HTTPS://EXAMPLE.ORG"`, `"http://"`, `"http://[::1]:0/"`, `"https://a b"`, `"mailto:a@b"`,
		`"\u0000"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\u202e"`, `"\\"`, `"\/"`, `"*a* <b>[c](javascript:x)</b>"`, `"é\u0301"`,
		`"` + strings.Repeat("é", 255) + `"`, `"` + strings.Repeat("x", 256) + `"`, `"\ufeff"`, `"\u00a0"`, `"\r\n"`,
	}}
	for _, id := range []int64{w.open, w.closed, w.secret, w.spare, w.block, w.link, w.hidden, int64(w.Person("ada").ID), int64(w.Person("bob").ID)} {
		d.scalars = append(d.scalars, fmt.Sprint(id), fmt.Sprint(id))
	}
	id := func(id int64) string { return fmt.Sprint(id) }
	d.likely = map[string][]string{
		"value": {`"x"`, `"https://www.example.org/x"`}, "title": {`"x"`, `""`}, "content": {`"x"`}, "description": {`"*x*"`, `""`, "null"},
		"alt_text": {`"x"`}, "original_source_url": {`"https://www.example.org/x"`}, "metadata": {`{}`, `{"a":1}`, `{"a":null}`},
		"visibility": {`"public"`, `"closed"`, `"private"`}, "owner": {`{"id":` + id(int64(w.Person("ada").ID)) + `}`, `{"id":1000}`},
		"channel_ids": {"[" + id(w.spare) + "]", `["open","closed"]`, `["nowhere"]`, "[" + id(w.secret) + `,"secret"]`},
		"channels":    {`[{"id":"open","position":1}]`, `[{"id":"closed","metadata":{"b":true}},{"id":"spare"}]`},
		"insert_at":   {"1", "2"}, "position": {"1", "2", "9223372036854775807"}, "movement": {`"insert_at"`, `"move_down"`, `"move_to_top"`},
		"connectable_type": {`"Block"`, `"Channel"`}, "connectable_id": {id(w.block), id(w.link), id(w.open), id(w.secret)},
		"user_id": {id(int64(w.Person("bob").ID)), "1000"}, "group_id": {"1"},
	}
	return d
}

func (d *dice) pick(list []string) string { return list[d.IntN(len(list))] }

// value generates a value: usually a scalar, sometimes a list or an object.
func (d *dice) value(depth int) string {
	switch n := d.IntN(10); {
	case n < 6 || depth == 0:
		return d.pick(d.scalars)
	case n < 8:
		return d.list(depth - 1)
	}
	return d.object(depth-1, "id", "type", "position", "metadata", "a", "B_9", "c-d", "")
}

func (d *dice) list(depth int) string {
	items := make([]string, d.IntN(4))
	for i := range items {
		items[i] = d.value(depth)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// object generates an object with some of the keys.
func (d *dice) object(depth int, keys ...string) string {
	var members []string
	for _, key := range keys {
		for again := d.IntN(2); again < 1; again = d.IntN(40) { // seldom twice
			value := d.value(depth)
			if likely := d.likely[key]; likely != nil && d.IntN(4) > 0 {
				value = d.pick(likely)
			}
			members = append(members, fmt.Sprintf("%q:%s", key, value))
		}
	}
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// thrown is an operation with the fields of its body.
type thrown struct {
	method, path string
	keys         []string
}

// answers are the possible statuses for random bodies.
var answers = []int{200, 201, 400, 403, 404, 422}

// throw sends random bodies as ada, and counts the statuses.
func (w *world) throw(t *testing.T, d *dice, times int, ops []thrown) map[int]int {
	t.Helper()
	statuses := map[int]int{}
	for i := range times {
		op := ops[i%len(ops)]
		body := d.object(2, op.keys...)
		res := w.Do("ada", op.method, op.path, body)
		statuses[res.Status]++
		if !slices.Contains(answers, res.Status) || res.Status == http.StatusBadRequest && strings.Contains(string(res.Body), "request: ") {
			t.Errorf("%s %s %s: %d %s", op.method, op.path, body, res.Status, res.Body)
		}
	}
	return statuses
}

// Every body is either accepted or refused by request validation: neither the decoder nor the database ever has to
// refuse it.
func TestRandomBodies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		statuses := w.throw(t, newDice(w), 1500, []thrown{
			{"POST", "/v3/blocks", []string{"value", "channel_ids", "channels", "insert_at", "title", "description", "metadata",
				"original_source_url", "original_source_title", "alt_text"}},
			{"PUT", at("/v3/blocks/%d", w.block), []string{"title", "description", "content", "alt_text", "metadata"}},
			{"POST", "/v3/channels", []string{"title", "visibility", "description", "owner", "metadata"}},
			{"PUT", at("/v3/channels/%d", w.spare), []string{"title", "visibility", "description", "owner", "metadata"}},
			{"POST", "/v3/connections", []string{"connectable_type", "connectable_id", "channel_ids", "channels", "position"}},
			{"PUT", at("/v3/connections/%d", w.connection), []string{"metadata"}},
			{"POST", at("/v3/connections/%d/move", w.connection), []string{"movement", "position"}},
			{"POST", at("/ext/v1/channels/%d/collaborators", w.closed), []string{"user_id", "group_id"}},
		})
		for _, status := range answers {
			if statuses[status] == 0 {
				t.Errorf("no body led to %d: %v", status, statuses)
			}
		}
	})
}

package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/describe"
)

// The number of requests of TestContractHolds on each database, and the seed to repeat a run. `make fuzz` sets the first.
const (
	fuzzRequests = "VITRINE_FUZZ_REQUESTS"
	fuzzSeed     = "VITRINE_FUZZ_SEED"
)

func setting(t *testing.T, name string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Any input to any operation of the descriptions, whether valid, almost valid or hostile, gets a response other than 5xx
// in the described form.
func TestContractHolds(t *testing.T) {
	t.Parallel()
	contractHolds(t, func(w *world) []*describe.Description { return w.Descriptions() }, 200, 400, 401, 403, 404)
}

// contractHolds sends requests to the operations of descriptions. Each of the statuses must occur.
func contractHolds(t *testing.T, of func(w *world) []*describe.Description, statuses ...int) {
	t.Helper()
	requests := setting(t, fuzzRequests, 700)
	seed := setting(t, fuzzSeed, time.Now().UnixNano())
	eachWorld(t, func(t *testing.T, w *world) {
		t.Logf("%s=%d", fuzzSeed, seed)
		f := newFuzzer(w, of(w), seed)
		for n := range requests {
			if n%400 == 0 {
				f.replenish(n)
			}
			req, body := f.request()
			if req == nil {
				continue
			}
			res := w.Send(req)
			f.learn(res)
			f.statuses[res.Status]++
			if res.Status >= 500 || t.Failed() {
				t.Fatalf("%s=%d, request %d answers %d %.300s\nof %s %s\n%v\n%.2000q", fuzzSeed, seed, n, res.Status, res.Body, req.Method, req.URL, req.Header, body)
			}
		}
		t.Logf("answers by status: %v", f.statuses)
		for _, status := range statuses {
			if f.statuses[status] == 0 {
				t.Errorf("no request led to %d", status)
			}
		}
	})
}

// fuzzer generates requests from descriptions.
type fuzzer struct {
	*rand.Rand
	w        *world
	ops      []fuzzedOp
	ids      map[string][]string // by kind: known ids and slugs
	statuses map[int]int
}

// fuzzedOp is an operation in its document.
type fuzzedOp struct {
	*describe.Operation
	doc, node object
}

// object is a JSON object.
type object = map[string]any

func newFuzzer(w *world, of []*describe.Description, seed int64) *fuzzer {
	f := &fuzzer{Rand: rand.New(rand.NewPCG(uint64(seed), 1)), w: w, ids: map[string][]string{}, statuses: map[int]int{}}
	for _, d := range of {
		var doc object
		if err := json.Unmarshal(d.JSON(), &doc); err != nil {
			w.T.Fatal(err)
		}
		for _, op := range d.Operations() {
			item := doc["paths"].(object)[op.Path].(object)
			node := item[strings.ToLower(op.Method)].(object)
			parameters, _ := node["parameters"].([]any)
			shared, _ := item["parameters"].([]any)
			node["parameters"] = slices.Concat(shared, parameters)
			f.ops = append(f.ops, fuzzedOp{op, doc, node})
		}
	}
	return f
}

// know records ids or slugs of a kind and keeps the newest.
func (f *fuzzer) know(kind string, ids ...any) {
	for _, id := range ids {
		f.ids[kind] = append(f.ids[kind], fmt.Sprint(id))
	}
	if n := len(f.ids[kind]); n > 40 {
		f.ids[kind] = f.ids[kind][n-40:]
	}
}

// replenish creates things to make requests about, since other requests delete them.
func (f *fuzzer) replenish(n int64) {
	w := f.w
	for _, as := range []string{"ada", "bob", "eve"} {
		f.know("users", w.Person(as).ID, as)
		for _, visibility := range []string{"public", "closed", "private"} {
			title := fmt.Sprint(as, " ", visibility, " ", n)
			channel := w.Channel(as, title, visibility)
			f.know("channels", channel, strings.ReplaceAll(title, " ", "-"))
			block := w.Block(as, "some *text* of "+as, channel)
			f.know("blocks", block)
			f.know("connections", w.Get(as, "/v3/channels/%d/contents", channel).Int("data.0.connection.id"))
			if made := w.Do(as, "POST", at("/v3/blocks/%d/comments", block), `{"body":"@ada look"}`); made.Status == http.StatusCreated {
				f.know("comments", made.Int("id"))
			}
		}
	}
	f.know("groups", w.Group(fmt.Sprint("Group ", n), "ada", "eve"), fmt.Sprint("group-", n))
}

// learn records the ids in a response.
func (f *fuzzer) learn(res *apptest.Response) {
	var made struct {
		ID   json.Number `json:"id"`
		Type string      `json:"type"`
		Base string      `json:"base_type"`
	}
	if res.Status != http.StatusCreated || json.Unmarshal(res.Body, &made) != nil || made.ID == "" {
		return
	}
	kind := map[string]string{"Channel": "channels", "Group": "groups", "Comment": "comments", "User": "users"}[made.Type]
	if made.Base == "Block" {
		kind = "blocks"
	}
	if kind == "" {
		kind = "others"
	}
	f.know(kind, made.ID)
}

func (f *fuzzer) seldom(oneOf int) bool { return f.IntN(oneOf) == 0 }

func pickOf[T any](f *fuzzer, list []T) T { return list[f.IntN(len(list))] }

// hostileText contains unexpected values of parameters.
var hostileText = []string{"", "0", "-1", "1", "x", "9223372036854775807", "9223372036854775808", "1.5", "1e3", "%00", "%ff", "%", "%2F", "..", ".",
	"a b", "%20", "null", "true", "[]", "'", "\"", "%27%3B--", "%E2%80%AE", "%F0%9F%98%80", "\u00e9", "%C0%AF", ";", "+", ",", ",,", "*", strings.Repeat("9", 400), strings.Repeat("x", 5000)}

// hostileJSON contains unexpected values of fields.
var hostileJSON = []string{"null", "true", "0", "-1", "1.5", "1e400", "-0", "9223372036854775808", `""`, `" "`, `"x"`, `"\u0000"`, `"\ud800"`, `"\u202e"`, `[]`, `{}`, `[[]]`,
	`[null]`, `{"":null}`, `{"__proto__":{}}`, `"` + strings.Repeat("é", 300) + `"`, `[` + strings.Repeat(`"a",`, 300) + `1]`, strings.Repeat("[", 70) + strings.Repeat("]", 70), "\"\xff\"", "nul", "'x'", "01",
	`"https://example.com/` + strings.Repeat("x", 5000) + `"`, `"http://127.0.0.1/"`, `"javascript:alert(1)"`, `"file:///etc/passwd"`}

// request generates a request and its body. The request is nil if no client could send it.
func (f *fuzzer) request() (*http.Request, []byte) {
	op := pickOf(f, f.ops)
	path, query := op.Path, url.Values{}
	raw := ""
	for _, p := range op.node["parameters"].([]any) {
		p := f.resolve(op.doc, p)
		name := p["name"].(string)
		switch p["in"] {
		case "path":
			value := f.pathValue(op, name, p)
			path = strings.Replace(path, "{"+name+"}", value, 1)
		case "query":
			switch {
			case name == "wait" && op.ID == "listChanges": // half a minute
			case f.seldom(12):
				raw += "&" + name + "=" + pickOf(f, hostileText)
			case f.seldom(3) || p["required"] == true:
				var value any
				text := f.value(op.doc, p["schema"], name, 2)
				if json.Unmarshal([]byte(text), &value) == nil {
					text = strings.Trim(fmt.Sprint(value), "[]")
				}
				query.Set(name, strings.ReplaceAll(text, " ", ","))
			}
		}
	}
	if f.seldom(20) {
		path += pickOf(f, []string{"/", "//", "/x", "%00", "?", "/%2e%2e"})
	}
	address := apptest.Base + path + "?" + strings.TrimPrefix(query.Encode()+raw, "&")
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil
	}
	method := op.Method
	if f.seldom(30) {
		method = pickOf(f, []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"})
	}
	body := f.body(op)
	req := httptest.NewRequestWithContext(f.w.T.Context(), method, apptest.Base+"/", strings.NewReader(string(body)))
	req.URL, req.RequestURI = u, u.RequestURI()
	if body == nil && f.IntN(4) > 0 {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	f.headers(op, req)
	if strings.HasPrefix(op.Path, "/v2/") {
		body = f.version2(req, body)
	}
	return req, body
}

// pathValue generates a value for a path parameter, usually of the right kind.
func (f *fuzzer) pathValue(op fuzzedOp, name string, p object) string {
	if f.seldom(8) {
		return pickOf(f, hostileText)
	}
	if values, ok := f.resolve(op.doc, p["schema"])["enum"].([]any); ok {
		return fmt.Sprint(pickOf(f, values))
	}
	kind := strings.Split(op.Path, "/")[2]
	if kind == "v1" { // of /ext
		kind = strings.Split(op.Path, "/")[3]
	}
	if before, _, _ := strings.Cut(op.Path, "/{"+name+"}"); name != "id" {
		kind = before[strings.LastIndex(before, "/")+1:]
	}
	switch {
	case f.seldom(10) || len(f.ids[kind]) == 0 && f.seldom(2):
		kind = pickOf(f, []string{"users", "channels", "blocks", "groups", "connections", "comments"})
	case len(f.ids[kind]) == 0:
		return fmt.Sprint(f.IntN(30))
	}
	if f.seldom(15) {
		return fmt.Sprint(f.IntN(3000))
	}
	return url.PathEscape(pickOf(f, f.ids[kind]))
}

func (f *fuzzer) headers(op fuzzedOp, req *http.Request) {
	who := pickOf(f, []string{"ada", "ada", "ada", "bob", "bob", "eve", "", "ada/read", "bob/read"})
	if p := f.w.Person(strings.TrimSuffix(who, "/read")); who != "" {
		token := p.Token
		if strings.HasSuffix(who, "/read") {
			token = p.Read
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if f.seldom(40) {
		req.Header.Set("Authorization", pickOf(f, []string{"", "Bearer", "Bearer x", "Basic eDp5", "Bearer \xff", "bearer  " + strings.Repeat("x", 9000)}))
	}
	if op.HasBody || f.seldom(10) {
		kind := "application/json"
		if op.ID == "createOAuthToken" && f.seldom(2) {
			kind = "application/x-www-form-urlencoded"
		}
		if f.seldom(25) {
			kind = pickOf(f, []string{"", "text/plain", "application/json; charset=latin1", "multipart/form-data", "multipart/form-data; boundary=x", ";", "\x00", "application/xml"})
		}
		req.Header.Set("Content-Type", kind)
	}
	if f.seldom(50) {
		req.Header.Set(pickOf(f, []string{"Content-Encoding", "Accept-Encoding", "If-None-Match", "Range", "X-Forwarded-For", "X-Http-Method-Override", "Expect", "Accept", "If-Modified-Since"}),
			pickOf(f, []string{"gzip", "*", `"x"`, "bytes=0-1", "bytes=-", "\xff", "100-continue", strings.Repeat("a,", 2000)}))
	}
}

// body generates a body for an operation, or nil.
func (f *fuzzer) body(op fuzzedOp) []byte {
	if !op.HasBody {
		if f.seldom(30) {
			return []byte(pickOf(f, hostileJSON))
		}
		return nil
	}
	content := f.resolve(op.doc, op.node["requestBody"])["content"].(object)
	media, _ := content["application/json"].(object)
	if media == nil {
		for _, m := range content {
			media = m.(object)
		}
	}
	text := []byte(f.value(op.doc, media["schema"], "", 5))
	switch f.IntN(40) {
	case 0:
		text = []byte(pickOf(f, hostileJSON))
	case 1:
		text = text[:f.IntN(len(text)+1)]
	case 2:
		text[f.IntN(len(text))] = byte(f.IntN(256))
	case 3:
		text = append(text, text...)
	case 4:
		return nil
	case 5:
		if f.seldom(10) {
			text = append(text, strings.Repeat(" ", 1<<20)...)
		}
	}
	return text
}

// resolve follows a reference.
func (f *fuzzer) resolve(doc object, node any) object {
	o, _ := node.(object)
	for range 10 {
		ref, ok := o["$ref"].(string)
		if !ok {
			return o
		}
		var at any = doc
		for _, key := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(object)[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
		}
		o = at.(object)
	}
	return o
}

// value generates JSON for a schema, usually valid.
func (f *fuzzer) value(doc object, schema any, name string, depth int) string {
	s := f.resolve(doc, schema)
	if f.seldom(30) || depth < 0 {
		return pickOf(f, hostileJSON)
	}
	if id := f.idFor(name); id != "" && f.IntN(6) > 0 {
		return id
	}
	if all, ok := s["allOf"].([]any); ok {
		merged := object{}
		f.merge(doc, merged, s, all)
		s = merged
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if choices, ok := s[key].([]any); ok {
			chosen := f.resolve(doc, pickOf(f, choices))
			if _, fields := s["properties"]; !fields {
				return f.value(doc, chosen, name, depth-1)
			}
			s = f.meet(s, chosen)
		}
	}
	if values, ok := s["enum"].([]any); ok {
		text, _ := json.Marshal(pickOf(f, values))
		return string(text)
	}
	kind, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok {
		kind = fmt.Sprint(pickOf(f, kinds))
	}
	switch kind {
	case "object", "":
		return f.object(doc, s, depth)
	case "array":
		items := make([]string, f.IntN(4))
		for i := range items {
			items[i] = f.value(doc, s["items"], strings.TrimSuffix(name, "s"), depth-1)
		}
		return "[" + strings.Join(items, ",") + "]"
	case "integer", "number":
		return pickOf(f, []string{"0", "1", "2", "3", "10", "24", "100", "101", fmt.Sprint(f.IntN(200))})
	case "boolean":
		return pickOf(f, []string{"true", "false"})
	case "null":
		return "null"
	}
	text, _ := json.Marshal(pickOf(f, []string{"x", "A *text* with https://example.com/a and @ada", "https://example.com/page", "http://example.com/", "", "東京", "a\nb",
		"2024-05-01T12:30:00.000Z", "ada@example.org", "some-slug", strings.Repeat("long ", 60), "notes.txt", "text/plain", fmt.Sprint(f.IntN(100))}))
	return string(text)
}

// merge collects the fields of several parts.
func (f *fuzzer) merge(doc, into, s object, all []any) {
	for _, part := range append([]any{without(s, "allOf")}, all...) {
		p := f.resolve(doc, part)
		if below, ok := p["allOf"].([]any); ok {
			f.merge(doc, into, p, below)
			continue
		}
		for key, value := range f.meet(into, p) {
			into[key] = value
		}
	}
}

func without(o object, key string) object {
	made := object{}
	for k, v := range o {
		if k != key {
			made[k] = v
		}
	}
	return made
}

// meet returns the intersection of two schemas, with the properties of both.
func (f *fuzzer) meet(a, b object) object {
	made := without(a, "")
	for key, value := range b {
		made[key] = value
	}
	both := object{}
	for _, s := range []object{a, b} {
		properties, _ := s["properties"].(object)
		for name, schema := range properties {
			both[name] = schema
		}
	}
	if len(both) > 0 {
		made["properties"] = both
	}
	return made
}

func (f *fuzzer) object(doc, s object, depth int) string {
	properties, _ := s["properties"].(object)
	required, _ := s["required"].([]any)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names) // so that a seed reproduces it
	if f.seldom(10) || properties == nil {
		names = append(names, pickOf(f, []string{"a", "group_id", "collaborator_ids", "x-y", "", "B_9"}))
	}
	var members []string
	for _, name := range names {
		wanted := slices.Contains(required, any(name))
		if wanted && f.seldom(25) || !wanted && f.IntN(5) < 3 {
			continue
		}
		key, _ := json.Marshal(name)
		members = append(members, string(key)+":"+f.value(doc, properties[name], name, depth-1))
		if f.seldom(150) {
			members = append(members, members[len(members)-1])
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// idFor returns an id or slug for a field by its name.
func (f *fuzzer) idFor(name string) string {
	kind := map[string]string{"channel_id": "channels", "connectable_id": "blocks", "user_id": "users", "group_id": "groups", "block_id": "blocks",
		"followable_id": "channels", "invitee_id": "users", "owner_id": "users", "id": "channels", "collaborator_id": "users"}[name]
	if len(f.ids[kind]) == 0 {
		return ""
	}
	id := pickOf(f, f.ids[kind])
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return strconv.Quote(id)
	}
	return id
}

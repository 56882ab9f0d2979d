package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/client"
	"vitrine/client/ext"
)

// sandboxEnv is the environment variable with the address of a sandbox: vitrine serve --sandbox.
const sandboxEnv = "VITRINE_SANDBOX_URL"

type step struct {
	Call    string
	Args    []json.RawMessage
	As      string
	Upload  []string
	Faults  json.RawMessage
	Want    json.RawMessage
	Error   int
	Count   *int
	Length  *int
	AtLeast int
	Save    map[string]string
	Tag     string // a name for the ETag of the result
	IfMatch string // the name of an ETag

	SignIn  json.RawMessage // begins a client with tokens that expire, for steps with "as": "signed in"
	Expire  bool            // makes the access token of that client expire
	Renewed *int            // how often that client has saved new tokens

	Follow json.RawMessage // follows changes until there were as many as AtLeast says
}

// recorder keeps the body of the last response.
type recorder struct{ last []byte }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	r.last, err = io.ReadAll(res.Body)
	res.Body = io.NopCloser(bytes.NewReader(r.last))
	return res, err
}

type runner struct {
	t        *testing.T
	base     string
	recorder recorder
	tokens   map[string]string
	saved    map[string]json.RawMessage
	tags     map[string]string

	app    client.Application // of the client with tokens that expire
	kept   client.Tokens
	signed *client.Client
	saves  int
}

// Every step of the list that both clients run has the wanted result, and the types keep every field of each response.
func TestConformance(t *testing.T) {
	base := os.Getenv(sandboxEnv)
	if base == "" {
		t.Skip(sandboxEnv + " is not set")
	}
	text, err := os.ReadFile("conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []step
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, base: base, saved: map[string]json.RawMessage{}, tags: map[string]string{}}
	r.control("POST", "/reset", "")
	r.tokens = tokensOf(t, r.control("GET", "", ""))
	for i, s := range list {
		if !t.Run(fmt.Sprintf("%d %s", i, s.Call), func(t *testing.T) { r.t = t; r.run(s) }) {
			return // later steps depend on it
		}
	}
}

// tokensOf returns the tokens of a sandbox by account, for "ada/read" one that only reads.
func tokensOf(t *testing.T, body []byte) map[string]string {
	t.Helper()
	var sandbox struct {
		Accounts []struct {
			Slug  string
			Read  string `json:"read_token"`
			Write string `json:"write_token"`
		}
	}
	if err := json.Unmarshal(body, &sandbox); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{"": ""}
	for _, a := range sandbox.Accounts {
		tokens[a.Slug], tokens[a.Slug+"/read"] = a.Write, a.Read
	}
	return tokens
}

func (r *runner) control(method, path, body string) []byte {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+"/ext/v1/sandbox"+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		r.t.Fatalf("%s %s: %s %s %v", method, path, res.Status, all, err)
	}
	return all
}

func (r *runner) run(s step) {
	if s.Faults != nil {
		r.control("PUT", "/faults", `{"faults": `+string(s.Faults)+`}`)
		return
	}
	if s.SignIn != nil {
		r.signIn(s.SignIn)
		return
	}
	if s.Follow != nil {
		r.follow(s)
		return
	}
	if s.Expire {
		r.kept.Expires = time.Now()
		r.renewing()
		return
	}
	c, err := client.New(r.base, client.WithToken(r.tokens[s.As]), client.WithHTTP(&http.Client{Transport: &r.recorder}))
	if err != nil {
		r.t.Fatal(err)
	}
	if s.As == "signed in" {
		c = r.signed
	}
	if s.Upload != nil {
		value, err := c.Upload(r.t.Context(), s.Upload[0], s.Upload[1], int64(len(s.Upload[2])), strings.NewReader(s.Upload[2]))
		if err != nil {
			r.t.Fatal(err)
		}
		r.saved["upload"], _ = json.Marshal(value)
		return
	}
	result, err := r.call(c, s)
	if s.Error != 0 {
		var e *client.Error
		if !errors.As(err, &e) || e.Status != s.Error || e.Message == "" {
			r.t.Errorf("%v; want status %d", err, s.Error)
		}
		return
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.check(s, result)
	if s.Renewed != nil && r.saves != *s.Renewed {
		r.t.Errorf("new tokens were saved %d times, want %d", r.saves, *s.Renewed)
	}
}

// signIn gets tokens that expire.
func (r *runner) signIn(body json.RawMessage) {
	var made struct {
		ClientID string `json:"client_id"`
		Access   string `json:"access_token"`
		Refresh  string `json:"refresh_token"`
	}
	if err := json.Unmarshal(r.control("POST", "/sign-ins", string(body)), &made); err != nil {
		r.t.Fatal(err)
	}
	r.app, r.kept, r.saves = client.Application{ID: made.ClientID}, client.Tokens{Access: made.Access, Refresh: made.Refresh}, 0
	r.renewing()
}

// renewing makes a client that begins with the saved tokens, like a program that starts again.
func (r *runner) renewing() {
	var err error
	r.signed, err = client.New(r.base, client.WithHTTP(&http.Client{Transport: &r.recorder}),
		client.WithTokens(r.kept, r.app, func(_ context.Context, t client.Tokens) error {
			r.kept = t
			r.saves++
			return nil
		}))
	if err != nil {
		r.t.Fatal(err)
	}
}

// follow follows changes in both ways, which must return the same ones.
func (r *runner) follow(s step) {
	c, err := client.New(r.base, client.WithToken(r.tokens[s.As]))
	if err != nil {
		r.t.Fatal(err)
	}
	var in ext.FollowParams
	if err := json.Unmarshal(r.filled(s.Follow), &in); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	var seen [2][]ext.Change
	for i := range seen {
		in.Stream = i == 1
		for batch, err := range ext.New(c).Follow(ctx, in) {
			if err != nil {
				r.t.Fatal(err)
			}
			if seen[i] = append(seen[i], batch.Changes...); len(seen[i]) >= s.AtLeast {
				break
			}
		}
	}
	if !reflect.DeepEqual(seen[0][:s.AtLeast], seen[1][:s.AtLeast]) {
		r.t.Errorf("by requests %v, by a stream %v", seen[0], seen[1])
	}
}

// call calls the method of an operation. Iterators return a slice, and files the length of their content.
func (r *runner) call(c *client.Client, s step) (any, error) {
	of, name := reflect.ValueOf(c), s.Call
	if bare, ok := strings.CutPrefix(name, "ext."); ok {
		of, name = reflect.ValueOf(ext.New(c)), bare
	}
	method := of.MethodByName(strings.ToUpper(name[:1]) + name[1:])
	if !method.IsValid() {
		r.t.Fatalf("there is no method %s", s.Call)
	}
	ctx := r.t.Context()
	if s.IfMatch != "" {
		ctx = client.IfMatch(ctx, r.tags[s.IfMatch])
	}
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i, arg := range s.Args {
		value := reflect.New(method.Type().In(i + 1))
		text := r.filled(arg)
		if value.Elem().Kind() == reflect.String { // ids are numbers in JSON
			text, _ = json.Marshal(strings.Trim(string(text), `"`))
		}
		if kind := method.Type().In(i + 1); kind.Kind() == reflect.Pointer && strings.HasSuffix(kind.Elem().Name(), "Params") {
			text = r.params(kind.Elem(), text)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(value.Interface()); err != nil {
			r.t.Fatalf("argument %d of %s: %v", i, s.Call, err)
		}
		in = append(in, value.Elem())
	}
	out := method.Call(in)
	if strings.HasPrefix(name, "all") {
		return collect(out[0])
	}
	if err, _ := out[len(out)-1].Interface().(error); err != nil {
		return nil, err
	}
	switch result := out[0].Interface().(type) {
	case io.ReadCloser:
		defer result.Close()
		content, err := io.ReadAll(result)
		return map[string]any{"file": len(content) > 0}, err
	case *ext.Item:
		r.tags[s.Tag] = result.ETag
	case *ext.Connection:
		r.tags[s.Tag] = result.ETag
	}
	return out[0].Interface(), nil
}

// params renames parameters to the fields of their type.
func (r *runner) params(of reflect.Type, text []byte) []byte {
	if string(text) == "null" {
		return text
	}
	var in, out map[string]json.RawMessage
	if err := json.Unmarshal(text, &in); err != nil {
		r.t.Fatal(err)
	}
	out = map[string]json.RawMessage{}
	for i := range of.NumField() {
		if v, ok := in[of.Field(i).Tag.Get("query")]; ok {
			out[of.Field(i).Name] = v
		}
	}
	text, _ = json.Marshal(out)
	return text
}

// filled replaces "$name" by a saved value.
func (r *runner) filled(text []byte) []byte {
	for name, value := range r.saved {
		text = bytes.ReplaceAll(text, []byte(`"$`+name+`"`), value)
	}
	return text
}

// collect runs an iterator.
func collect(seq reflect.Value) (all []any, err error) {
	yield := reflect.MakeFunc(seq.Type().In(0), func(args []reflect.Value) []reflect.Value {
		if e, _ := args[1].Interface().(error); e != nil {
			err = e
		} else {
			all = append(all, args[0].Interface())
		}
		return []reflect.Value{reflect.ValueOf(true)}
	})
	seq.Call([]reflect.Value{yield})
	return all, err
}

func (r *runner) check(s step, result any) {
	encoded, err := json.Marshal(result)
	if err != nil {
		r.t.Fatal(err)
	}
	var got, raw, want any
	_ = json.Unmarshal(encoded, &got)
	if err := json.Unmarshal(r.recorder.last, &raw); err == nil && !strings.HasPrefix(strings.TrimPrefix(s.Call, "ext."), "all") {
		r.includes("response", got, raw)
	}
	if s.Want != nil {
		if err := json.Unmarshal(r.filled(s.Want), &want); err != nil {
			r.t.Fatal(err)
		}
		r.includes("result", got, want)
	}
	items, _ := got.([]any)
	if object, ok := got.(map[string]any); ok {
		if items, _ = object["data"].([]any); items == nil {
			items, _ = object["items"].([]any)
		}
		for name, path := range s.Save {
			r.saved[name], _ = json.Marshal(at(object, path))
		}
	}
	for _, n := range []*int{s.Count, s.Length} {
		if n != nil && len(items) != *n {
			r.t.Errorf("%d items, want %d", len(items), *n)
		}
	}
	if len(items) < s.AtLeast {
		r.t.Errorf("%d items, want at least %d", len(items), s.AtLeast)
	}
}

// at returns the value at a path such as data.0.id.
func at(value any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		}
	}
	return value
}

// includes checks that got has everything in want. A missing field is as good as null.
func (r *runner) includes(at string, got, want any) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			r.t.Errorf("%s is %v, want an object", at, got)
			return
		}
		for key, v := range w {
			r.includes(at+"."+key, g[key], v)
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			r.t.Errorf("%s has %d items, want %d", at, len(g), len(w))
			return
		}
		for i := range w {
			r.includes(fmt.Sprintf("%s[%d]", at, i), g[i], w[i])
		}
	default:
		if !same(got, want) {
			r.t.Errorf("%s is %v, want %v", at, got, want)
		}
	}
}

// same compares two values; times may be written in different ways.
func same(a, b any) bool {
	x, xok := a.(string)
	y, yok := b.(string)
	if a == b || !xok || !yok {
		return a == b
	}
	s, err := time.Parse(time.RFC3339Nano, x)
	t, other := time.Parse(time.RFC3339Nano, y)
	return err == nil && other == nil && s.Equal(t)
}

// The list calls every operation.
func TestConformanceIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	for prefix, of := range map[string]reflect.Type{"": reflect.TypeFor[*client.Client](), "ext.": reflect.TypeFor[*ext.Client]()} {
		for i := range of.NumMethod() {
			name := of.Method(i).Name
			call := prefix + strings.ToLower(name[:1]) + name[1:]
			if !strings.HasPrefix(name, "All") && !slices.Contains([]string{"Upload", "Do", "ext.Follow"}, prefix+name) && !bytes.Contains(text, []byte(`"call": "`+call+`"`)) {
				t.Errorf("conformance.json does not call %s", call)
			}
		}
	}
}

// Do repeats a request with the key of the caller.
func TestDo(t *testing.T) {
	t.Parallel()
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		keys = append(keys, r.Method+" "+r.URL.String()+" "+r.Header.Get("Idempotency-Key")+" "+r.Header.Get("Authorization")+" "+string(body))
		if len(keys) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"id": 7}`)
	}))
	defer server.Close()
	c, err := client.New(server.URL, client.WithToken("t"))
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ ID int }
	err = c.Do(t.Context(), client.Request{Method: http.MethodPost, Path: "/ext/v1/x?a=b", Key: "mine", Body: map[string]int{"n": 1}, Out: &out})
	want := `POST /ext/v1/x?a=b mine Bearer t {"n":1}`
	if err != nil || out.ID != 7 || len(keys) != 2 || keys[0] != want || keys[1] != want {
		t.Errorf("%v, %d, %q", err, out.ID, keys)
	}
}

// A canceled context ends a call that waits to be repeated.
func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, err := client.New("http://vitrine.example", client.WithHTTP(&http.Client{Transport: transport(func(req *http.Request) (*http.Response, error) {
		cancel()
		return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {"30"}}, Body: io.NopCloser(strings.NewReader("")), Request: req}, nil
	})}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetPing(ctx); err == nil {
		t.Error("the call succeeded")
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

// Addresses and references that cannot be right are refused before anything is sent.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "vitrine.example", "ftp://vitrine.example", "https://", "https://vitrine.example?x=1"} {
		if _, err := client.New(base); err == nil {
			t.Errorf("%q is accepted", base)
		}
	}
	c, err := client.New("http://vitrine.example", client.WithHTTP(&http.Client{Transport: transport(func(req *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("sent %s", req.URL)
	})}), client.WithRetries(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []client.Ref{"", ".", ".."} {
		if _, err := c.GetChannel(t.Context(), ref); err == nil || strings.Contains(err.Error(), "sent") {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if _, err := c.GetChannel(t.Context(), "a/b?c"); err == nil || !strings.Contains(err.Error(), "/v3/channels/a%2Fb%3Fc") {
		t.Error(err)
	}
}

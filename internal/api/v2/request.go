package v2

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
)

// parameters merges the parameters of a write into one JSON object. Those of the body, which is a form or JSON, take
// precedence over those of the query (behaviour-v2.md section 1).
func parameters(op *describe.Operation, r *http.Request) ([]byte, []describe.Violation, error) {
	body, err := httpedge.ReadBody(r)
	if err != nil {
		return nil, nil, err
	}
	all := map[string]json.RawMessage{}
	query, found := form(r.URL.RawQuery, "query")
	collect(all, query)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	trimmed := bytes.TrimSpace(body)
	switch {
	case len(trimmed) == 0:
	case kind == "application/json" || kind == "" && trimmed[0] == '{':
		sent, _, ok := describe.Fields(body, func(name string) bool { return op.Declares(strings.TrimSuffix(name, "[]")) })
		if !ok {
			return nil, append(found, describe.Violation{Field: "body", Why: "is no JSON object"}), nil
		}
		for _, f := range sent {
			plain, listed := strings.CutSuffix(f.Name, "[]")
			if !listed || !slices.ContainsFunc(sent, func(other describe.Field) bool { return other.Name == plain }) {
				all[plain] = f.Value
			}
		}
	case kind == "application/x-www-form-urlencoded" || kind == "":
		values, wrong := form(string(body), "body")
		found = append(found, wrong...)
		collect(all, values)
	default:
		return nil, nil, domain.Wrap(domain.Unsupported,
			"Send the parameters as application/json, as application/x-www-form-urlencoded, or in the query", nil)
	}
	if limit, declared := op.MaxItems("ids"); declared && all["ids"] != nil {
		ids, ok := list(all["ids"], limit)
		if !ok {
			return nil, append(found, describe.Violation{Field: "ids", Why: fmt.Sprintf("must have at most %d items", limit)}), nil
		}
		all["ids"] = ids
	}
	text, err := json.Marshal(all)
	return text, found, err
}

// form parses a query or a form.
func form(text, from string) (url.Values, []describe.Violation) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return values, []describe.Violation{{Field: from, Why: "is not encoded as a form is"}}
	}
	var found []describe.Violation
	for name, all := range values {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(all, "")) {
			found = append(found, describe.Violation{Field: strings.ToValidUTF8(name, "?"), Why: "is not UTF-8"})
		}
	}
	return values, found
}

// collect adds the values of a form: a list if the name ends like one, otherwise the last value.
func collect(all map[string]json.RawMessage, values url.Values) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		texts := values[name]
		var value any = texts[len(texts)-1]
		plain, listed := strings.CutSuffix(name, "[]")
		if listed {
			value = texts
		}
		if text, err := json.Marshal(value); err == nil { // encoding strings cannot fail
			all[plain] = text
		}
	}
}

// lenient returns the URL of a read with each parameter once and as storable text. Version 2 never refuses a query.
func lenient(u *url.URL) *url.URL {
	if u.RawQuery == "" {
		return u
	}
	values, _ := url.ParseQuery(u.RawQuery) // keep the valid parts
	kept := url.Values{}
	for name, all := range values {
		if len(all) > 0 {
			kept.Set(strings.ToValidUTF8(name, ""), strings.ReplaceAll(strings.ToValidUTF8(all[0], ""), "\x00", ""))
		}
	}
	address := *u
	address.RawQuery = kept.Encode()
	return &address
}

// list returns the ids of a request as an array, even if they are sent as one text. It counts them before it stores any;
// ok is false if there are more than limit.
func list(ids json.RawMessage, limit int) (array json.RawMessage, ok bool) {
	in := jx.DecodeBytes(ids)
	switch in.Next() {
	case jx.Array:
		return ids, hasAtMost(ids, limit)
	case jx.Null:
		return json.RawMessage("[]"), true
	}
	text, err := in.StrBytes()
	if err != nil {
		return ids, true // request validation refuses it
	}
	if text = bytes.TrimSpace(text); bytes.HasPrefix(text, []byte("[")) {
		if !hasAtMost(text, limit) {
			return nil, false
		}
		if !json.Valid(text) {
			return ids, true // which is not a list
		}
		return bytes.Clone(text), true
	}
	n := 0
	for range items(text) {
		if n++; n > limit {
			return nil, false
		}
	}
	all := make([]string, 0, n)
	for id := range items(text) {
		all = append(all, string(id))
	}
	array, _ = json.Marshal(all) // encoding strings cannot fail
	return array, true
}

// items returns the non-empty items of a text such as "1, 2".
func items(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for id := range bytes.SplitSeq(text, []byte(",")) {
			if id = bytes.TrimSpace(id); len(id) > 0 && !yield(id) {
				return
			}
		}
	}
}

var errTooMany = errors.New("too many items")

// hasAtMost reports whether an array has at most most items. It returns true for anything that is not an array.
func hasAtMost(array []byte, limit int) bool {
	n := 0
	err := jx.DecodeBytes(array).Arr(func(d *jx.Decoder) error {
		if n++; n > limit {
			return errTooMany
		}
		return d.Skip()
	})
	return !errors.Is(err, errTooMany)
}

// numeral is a whole number, which clients may also send as text.
type numeral int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *numeral) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	number, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	*n = numeral(number)
	return err
}

// input parses the parameters of a write, which have already been validated.
func (c call) input(into any) error {
	err := json.NewDecoder(c.r.Body).Decode(into)
	if err != nil { // a number above all ids
		return domain.InvalidField("body", domain.FieldShape, "holds a number that is too large")
	}
	return nil
}

// usualPer is the default page size.
const usualPer = 20

// page returns the requested page. It refuses nothing: values that are too large become the maximum, and invalid ones
// the first page.
func (c call) page() domain.Page { return c.pageOf(usualPer) }

func (c call) pageOf(per int64) domain.Page {
	return domain.Page{Number: max(c.number("page", 1), 1), Per: min(max(c.number("per", per), 1), domain.MaxPerPage)}
}

// number returns a number of the query, clamped to the range of int64, or usual if it is invalid.
func (c call) number(name string, usual int64) int64 {
	n, err := strconv.ParseInt(c.r.URL.Query().Get(name), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return usual
	}
	return n
}

// sort returns the requested order of contents, by default by position from the first.
func (c call) sort() domain.ContentSort {
	q := c.r.URL.Query()
	s := domain.ContentSort{Key: domain.ByPosition, Desc: strings.EqualFold(q.Get("direction"), "desc")}
	switch q.Get("sort") {
	case "created_at":
		s.Key = domain.ByConnected
	case "updated_at":
		s.Key = domain.ByUpdated
	}
	return s
}

// ref returns the user, group or channel in the n-th placeholder of the path.
func (c call) ref(n int) domain.Ref { return domain.ParseRef(c.at[n]) }

// id returns the id in the n-th placeholder of the path. The routes only match ids there.
func (c call) id(n int) int64 {
	id, _ := strconv.ParseInt(c.at[n], 10, 64)
	return id
}

// users returns the users with these ids, each once.
func users(ids []numeral) (all []domain.PrincipalRef) {
	for _, id := range ids {
		if ref := domain.UserRef(domain.UserID(id)); !slices.Contains(all, ref) {
			all = append(all, ref)
		}
	}
	return all
}

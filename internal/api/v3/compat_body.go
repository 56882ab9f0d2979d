package v3

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"vitrine/internal/describe"
)

// lenient are fields of bodies that clients send and the public description does not have,
// by operation. Each gives the fields as the description has them.
var lenient = map[string]func([]field) ([]field, []describe.Violation){
	"createBlock":   withoutNulls,
	"createChannel": withGroupAsOwner,
}

// field is one of an object of JSON: as written with its value, its name, and the value.
type field struct {
	text  []byte
	name  string
	value []byte
}

// adapted gives a body as the description has it. What is no object, or has a field
// twice, stays as it is, for the description to refuse.
func adapted(op *describe.Operation, body []byte) ([]byte, []describe.Violation) {
	adapt := lenient[op.ID]
	if adapt == nil {
		return body, nil
	}
	fields, ok := fieldsOf(body)
	if !ok {
		return body, nil
	}
	changed, found := adapt(slices.Clone(fields))
	if slices.EqualFunc(changed, fields, func(a, b field) bool { return bytes.Equal(a.text, b.text) }) {
		return body, found
	}
	texts := make([][]byte, len(changed))
	for i, f := range changed {
		texts[i] = f.text
	}
	return slices.Concat([]byte("{"), bytes.Join(texts, []byte(",")), []byte("}")), found
}

// fieldsOf cuts an object into its fields.
func fieldsOf(body []byte) (fields []field, ok bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	seen := map[string]bool{}
	for d.More() {
		begin := d.InputOffset()
		key, err := d.Token()
		name, isName := key.(string)
		var value json.RawMessage
		if err != nil || !isName || seen[name] || d.Decode(&value) != nil {
			return nil, false
		}
		seen[name] = true
		fields = append(fields, field{bytes.TrimLeft(body[begin:d.InputOffset()], ", \t\r\n"), name, value})
	}
	if _, err := d.Token(); err != nil || len(bytes.TrimSpace(body[d.InputOffset():])) > 0 {
		return nil, false
	}
	return fields, true
}

// withoutNulls takes a title or description of null for one that is not given.
func withoutNulls(fields []field) ([]field, []describe.Violation) {
	return slices.DeleteFunc(fields, func(f field) bool {
		return (f.name == "title" || f.name == "description") && string(f.value) == "null"
	}), nil
}

// withGroupAsOwner makes an owner of `group_id`: an id, also as text, or null for none.
func withGroupAsOwner(fields []field) ([]field, []describe.Violation) {
	at := slices.IndexFunc(fields, func(f field) bool { return f.name == "group_id" })
	if at < 0 {
		return fields, nil
	}
	text := string(fields[at].value)
	_ = json.Unmarshal(fields[at].value, &text) // a number stays as it is written
	id, err := strconv.ParseInt(text, 10, 64)
	owned := slices.ContainsFunc(fields, func(f field) bool { return f.name == "owner" })
	switch {
	case string(fields[at].value) == "null":
	case err != nil || id < 1:
		return fields, []describe.Violation{{Field: "group_id", Why: "must be the id of a group"}}
	case owned:
		return fields, []describe.Violation{{Field: "group_id", Why: "must not be given together with owner"}}
	default:
		fields = append(fields, field{text: fmt.Appendf(nil, `"owner":{"type":"Group","id":%d}`, id)})
	}
	return slices.Delete(fields, at, at+1), nil
}

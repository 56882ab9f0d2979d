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
	"createBlock":       withoutNulls(blockFields...),
	"batchCreateBlocks": withBlocksWithoutNulls,
	"createChannel":     withGroupAsOwner,
	"createGroup":       withoutNulls("description", "avatar_url"),
	"updateBlock":       withEmptyForNull("title", "description", "alt_text"),
	"updateGroup":       withEmptyForNull("avatar_url"),
}

// blockFields are the optional fields of a new block.
var blockFields = []string{"title", "description", "original_source_url", "original_source_title", "alt_text", "metadata"}

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
	return objectOf(changed), found
}

// objectOf writes fields as an object.
func objectOf(fields []field) []byte {
	texts := make([][]byte, len(fields))
	for i, f := range fields {
		texts[i] = f.text
	}
	return slices.Concat([]byte("{"), bytes.Join(texts, []byte(",")), []byte("}"))
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

// withoutNulls removes fields that are null: null means that they are not given.
func withoutNulls(names ...string) func([]field) ([]field, []describe.Violation) {
	return func(fields []field) ([]field, []describe.Violation) {
		return slices.DeleteFunc(fields, func(f field) bool {
			return string(f.value) == "null" && slices.Contains(names, f.name)
		}), nil
	}
}

// withEmptyForNull writes "" for fields that are null: both clear what is there.
func withEmptyForNull(names ...string) func([]field) ([]field, []describe.Violation) {
	return func(fields []field) ([]field, []describe.Violation) {
		for i, f := range fields {
			if string(f.value) == "null" && slices.Contains(names, f.name) {
				fields[i].text = fmt.Appendf(nil, `%q:""`, f.name)
			}
		}
		return fields, nil
	}
}

// withBlocksWithoutNulls does for each block of a batch what createBlock does for one.
func withBlocksWithoutNulls(fields []field) ([]field, []describe.Violation) {
	at := slices.IndexFunc(fields, func(f field) bool { return f.name == "blocks" })
	var blocks [][]byte
	if at < 0 || !bytes.Contains(fields[at].value, []byte("null")) || !listOf(fields[at].value, &blocks) {
		return fields, nil
	}
	for i, block := range blocks {
		if inner, ok := fieldsOf(block); ok {
			inner, _ = withoutNulls(blockFields...)(inner)
			blocks[i] = objectOf(inner)
		}
	}
	fields[at].text = slices.Concat([]byte(`"blocks":[`), bytes.Join(blocks, []byte(",")), []byte("]"))
	return fields, nil
}

// listOf cuts a list into its items.
func listOf(value []byte, items *[][]byte) bool {
	var raw []json.RawMessage
	if json.Unmarshal(value, &raw) != nil {
		return false
	}
	for _, item := range raw {
		*items = append(*items, item)
	}
	return true
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

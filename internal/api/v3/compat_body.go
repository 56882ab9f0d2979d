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
var lenient = map[string]func([]describe.Field) ([]describe.Field, []describe.Violation){
	"createBlock":   withoutNulls,
	"createChannel": withGroupAsOwner,
}

// adapted gives a body as the description has it. A body that is not an object, or has a
// field twice, stays as it is, for the description to refuse.
func adapted(op *describe.Operation, body []byte) ([]byte, []describe.Violation) {
	adapt := lenient[op.ID]
	if adapt == nil {
		return body, nil
	}
	fields, twice, ok := describe.Fields(body, func(name string) bool { return name == groupID || op.Declares(name) })
	if !ok || twice {
		return body, nil
	}
	changed, found := adapt(slices.Clone(fields))
	same := func(a, b describe.Field) bool { return a.Name == b.Name && bytes.Equal(a.Value, b.Value) }
	if slices.EqualFunc(changed, fields, same) {
		return body, found
	}
	texts := make([][]byte, len(changed))
	for i, f := range changed {
		name, _ := json.Marshal(f.Name) // strings always encode
		texts[i] = slices.Concat(name, []byte(":"), f.Value)
	}
	return slices.Concat([]byte("{"), bytes.Join(texts, []byte(",")), []byte("}")), found
}

// withoutNulls takes a title or description of null for one that is not given.
func withoutNulls(fields []describe.Field) ([]describe.Field, []describe.Violation) {
	return slices.DeleteFunc(fields, func(f describe.Field) bool {
		return (f.Name == "title" || f.Name == "description") && string(f.Value) == "null"
	}), nil
}

// groupID is the field by which clients name the group that owns a new channel.
const groupID = "group_id"

// withGroupAsOwner makes an owner of `group_id`: an id, also as text, or null for none.
func withGroupAsOwner(fields []describe.Field) ([]describe.Field, []describe.Violation) {
	at := slices.IndexFunc(fields, func(f describe.Field) bool { return f.Name == groupID })
	if at < 0 {
		return fields, nil
	}
	text := string(fields[at].Value)
	_ = json.Unmarshal(fields[at].Value, &text) // a number stays as it is written
	id, err := strconv.ParseInt(text, 10, 64)
	owned := slices.ContainsFunc(fields, func(f describe.Field) bool { return f.Name == "owner" })
	switch {
	case string(fields[at].Value) == "null":
	case err != nil || id < 1:
		return fields, []describe.Violation{{Field: groupID, Why: "must be the id of a group"}}
	case owned:
		return fields, []describe.Violation{{Field: groupID, Why: "must not be given together with owner"}}
	default:
		fields = append(fields, describe.Field{Name: "owner", Value: fmt.Appendf(nil, `{"type":"Group","id":%d}`, id)})
	}
	return slices.Delete(fields, at, at+1), nil
}

package v3

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/wire"
)

// compat handles operations that clients use and the public description lacks. Their description, api/compat.yaml, is
// used to validate requests but not served.
type compat struct {
	*handler
	doc, public *describe.Description
}

// route returns the operation of a request like the generated routers.
func (c *compat) route(method string, u *url.URL) (id string, found bool) {
	for _, op := range c.doc.Operations() {
		if op.Method == method && c.fits(op, u) {
			return op.ID, true
		}
	}
	return "", false
}

// fits reports whether a path matches an operation and is not in the public description, as /v3/blocks/batch is.
func (c *compat) fits(op *describe.Operation, u *url.URL) bool {
	path := u.EscapedPath()
	_, ok := op.PathValues(path)
	return ok && !slices.ContainsFunc(c.public.Operations(), func(op *describe.Operation) bool { return op.Path == path })
}

// ServeHTTP executes a validated operation.
func (c *compat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	op := httpedge.Operation(r.Context())
	if op == nil {
		httpedge.JSON.NotFound(w, r)
		return
	}
	answer, err := c.serve(r, op)
	switch {
	case err != nil:
		httpedge.JSON.Fail(r.Context(), w, r, err)
	case answer == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		body, err := answer.MarshalJSON()
		if err != nil {
			httpedge.JSON.Fail(r.Context(), w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(body) // fails only if the client is gone
	}
}

// serve executes an operation and returns the response body, or nil for none.
func (c *compat) serve(r *http.Request, op *describe.Operation) (answer json.Marshaler, err error) {
	if found, noSuchID := op.CheckParams(r.URL); len(found) > 0 {
		return nil, httpedge.Violations(found)
	} else if noSuchID {
		return nil, domain.NewNotFound()
	}
	at, _ := op.PathValues(r.URL.EscapedPath())
	ctx, who, ref := r.Context(), httpedge.Actor(r.Context()), domain.ParseRef(at["id"])
	switch op.ID {
	case "deleteBlock":
		return nil, c.app.Collections.DeleteBlock(ctx, who, domain.BlockID(ref.ID))
	case "disconnectBlock":
		block, err := strconv.ParseInt(at["block_id"], 10, 64)
		if err != nil {
			return nil, domain.NewNotFound()
		}
		return nil, c.app.Collections.DisconnectBlock(ctx, who, ref, domain.BlockID(block))
	}
	users, err := collaboratorIDs(r)
	if err != nil {
		return nil, err
	}
	if op.ID == "removeCollaborators" {
		return nil, c.app.Collections.RemoveCollaborators(ctx, who, ref, users...)
	}
	return c.addCollaborators(ctx, who, ref, users)
}

func (c *compat) addCollaborators(ctx context.Context, who domain.Actor, ref domain.Ref, users []domain.PrincipalRef) (json.Marshaler, error) {
	all, err := c.app.Collections.AddCollaborators(ctx, who, ref, users...)
	if err != nil {
		return nil, err
	}
	return collaboratorList(c.embeddedAll(all)), nil
}

// collaboratorList is encoded as in /ext/v1.
type collaboratorList []wire.Item

func (l collaboratorList) MarshalJSON() ([]byte, error) {
	var e jx.Encoder
	e.ObjStart()
	e.FieldStart("data")
	e.ArrStart()
	for _, item := range l {
		item.Encode(&e)
	}
	e.ArrEnd()
	e.ObjEnd()
	return e.Bytes(), nil
}

// collaboratorIDs returns the users in a valid body, each once.
func collaboratorIDs(r *http.Request) (users []domain.PrincipalRef, err error) {
	var body struct {
		IDs []json.RawMessage `json:"collaborator_ids"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	for _, raw := range body.IDs {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		if user := domain.UserRef(domain.UserID(id)); !slices.Contains(users, user) {
			users = append(users, user)
		}
	}
	return users, nil
}

// notFound and methodNotAllowed answer for the public router, which does not have these operations.
func (c *compat) notFound(w http.ResponseWriter, r *http.Request) {
	if methods := c.methods(r.URL); methods != nil {
		httpedge.JSON.MethodNotAllowed(w, r, strings.Join(methods, ", "))
		return
	}
	httpedge.JSON.NotFound(w, r)
}

func (c *compat) methodNotAllowed(w http.ResponseWriter, r *http.Request, allow string) {
	httpedge.JSON.MethodNotAllowed(w, r, strings.Join(append([]string{allow}, c.methods(r.URL)...), ", "))
}

// methods returns the methods of a path in this description.
func (c *compat) methods(u *url.URL) (all []string) {
	for _, op := range c.doc.Operations() {
		if c.fits(op, u) {
			all = append(all, op.Method)
		}
	}
	return all
}

// lenient adapts fields that clients send and the public description lacks, by operation. Each adapter returns the
// fields in the form of the description.
var lenient = map[string]adapter{
	"createBlock":       withoutNulls(blockFields...),
	"batchCreateBlocks": withBlocksWithoutNulls,
	"createChannel":     inTurn(withoutNulls("description"), withGroupAsOwner),
	"createGroup":       withoutNulls("description", "avatar_url"),
	"joinGroup":         withoutNulls("invite_token"),
	"updateBlock":       withEmptyForNull("title", "description", "alt_text"),
	"updateGroup":       withEmptyForNull("avatar_url"),
}

// blockFields are the optional fields of a new block.
var blockFields = []string{"title", "description", "original_source_url", "original_source_title", "alt_text", "metadata"}

// adapted converts a body to the form in the description. A body that is not an object, or
// repeats a field, stays as it is, and request validation refuses it.
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
	return objectOf(changed), found
}

// objectOf encodes fields as an object.
func objectOf(fields []describe.Field) []byte {
	texts := make([][]byte, len(fields))
	for i, f := range fields {
		name, _ := json.Marshal(f.Name) // encoding strings cannot fail
		texts[i] = slices.Concat(name, []byte(":"), f.Value)
	}
	return slices.Concat([]byte("{"), bytes.Join(texts, []byte(",")), []byte("}"))
}

// adapter converts the fields of a body to those of the description.
type adapter = func([]describe.Field) ([]describe.Field, []describe.Violation)

// inTurn applies several adapters.
func inTurn(all ...adapter) adapter {
	return func(fields []describe.Field) (_ []describe.Field, found []describe.Violation) {
		for _, adapt := range all {
			var more []describe.Violation
			fields, more = adapt(fields)
			found = append(found, more...)
		}
		return fields, found
	}
}

// withoutNulls removes fields that are null, because null means that the field is absent.
func withoutNulls(names ...string) adapter {
	return func(fields []describe.Field) ([]describe.Field, []describe.Violation) {
		return slices.DeleteFunc(fields, func(f describe.Field) bool {
			return string(f.Value) == "null" && slices.Contains(names, f.Name)
		}), nil
	}
}

// withEmptyForNull replaces null by "", because both clear the stored value.
func withEmptyForNull(names ...string) adapter {
	return func(fields []describe.Field) ([]describe.Field, []describe.Violation) {
		for i, f := range fields {
			if string(f.Value) == "null" && slices.Contains(names, f.Name) {
				fields[i].Value = json.RawMessage(`""`)
			}
		}
		return fields, nil
	}
}

// maxAdapted is the maximum number of blocks of a batch that are adapted. It is more than a batch may have.
const maxAdapted = 100

// withBlocksWithoutNulls applies the adapter of createBlock to each block of a batch.
func withBlocksWithoutNulls(fields []describe.Field) ([]describe.Field, []describe.Violation) {
	at := slices.IndexFunc(fields, func(f describe.Field) bool { return f.Name == "blocks" })
	if at < 0 || !bytes.Contains(fields[at].Value, []byte("null")) {
		return fields, nil
	}
	var blocks [][]byte
	err := jx.DecodeBytes(fields[at].Value).Arr(func(d *jx.Decoder) error {
		if len(blocks) == maxAdapted {
			return errTooMany
		}
		block, err := d.Raw()
		if err != nil {
			return err
		}
		known := func(name string) bool { return name == "value" || slices.Contains(blockFields, name) }
		if inner, twice, ok := describe.Fields(block, known); ok && !twice && block.Type() == jx.Object {
			inner, _ = withoutNulls(blockFields...)(inner)
			block = objectOf(inner)
		}
		blocks = append(blocks, block)
		return nil
	})
	if err != nil { // request validation refuses it
		return fields, nil
	}
	fields[at].Value = slices.Concat([]byte("["), bytes.Join(blocks, []byte(",")), []byte("]"))
	return fields, nil
}

var errTooMany = errors.New("too many blocks")

// groupID is the field with which clients name the owning group of a new channel.
const groupID = "group_id"

// withGroupAsOwner converts `group_id` to an owner. It is an id, possibly as text, or null for none.
func withGroupAsOwner(fields []describe.Field) ([]describe.Field, []describe.Violation) {
	at := slices.IndexFunc(fields, func(f describe.Field) bool { return f.Name == groupID })
	if at < 0 {
		return fields, nil
	}
	text := string(fields[at].Value)
	_ = json.Unmarshal(fields[at].Value, &text) // a number stays as it is
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

package v3

import (
	"context"
	"encoding/json"
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

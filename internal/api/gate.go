package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// gate stands before a generated server and enforces what the description says
// and the generated code does not: who may call an operation, and the whole of
// its body's schema.
type gate struct {
	callers *callers
	doc     *describe.Description
	route   func(method string, u *url.URL) (operationID string, found bool)
	next    http.Handler
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, ok := g.callers.admit(w, r)
	if !ok {
		return
	}
	if id, found := g.route(r.Method, r.URL); found {
		op := g.doc.Operation(id)
		middleware.From(r.Context()).Operation = id
		if err := allowed(op, who); err != nil {
			renderError(r.Context(), w, r, err)
			return
		}
		if searches(id) {
			address := *r.URL
			plainLists(&address)
			r = r.Clone(r.Context())
			r.URL = &address
		}
		if err := checkRequest(op, r); err != nil {
			renderError(r.Context(), w, r, err)
			return
		}
		key := keyOf(who, r)
		if err := g.callers.turns.Enter(r.Context(), key); err != nil {
			renderError(r.Context(), w, r, err)
			return
		}
		defer g.callers.turns.Leave(key)
		r = r.WithContext(context.WithValue(r.Context(), admittedKey{}, &admitted{who, op}))
	}
	g.next.ServeHTTP(w, r)
}

// admitted is what the gate tells the handlers of a request.
type admitted struct {
	actor     domain.Actor
	operation *describe.Operation
}

type admittedKey struct{}

// operation is what the description says of the request's operation, or nil.
func operation(ctx context.Context) *describe.Operation {
	if a, ok := ctx.Value(admittedKey{}).(*admitted); ok {
		return a.operation
	}
	return nil
}

// actor is who makes the request, as the gate found out.
func actor(ctx context.Context) domain.Actor {
	if a, ok := ctx.Value(admittedKey{}).(*admitted); ok {
		return a.actor
	}
	return domain.Actor{}
}

// allowed holds the actor against the security of the operation. An application that
// acts as itself is in the free tier and has no user (behaviour.md section 8).
func allowed(op *describe.Operation, who domain.Actor) error {
	if op.TokenRequired && !who.SignedIn() {
		if who.ApplicationID != 0 && (op.Scope == string(domain.ScopeWrite) || op.ID == "search") {
			return domain.NewForbidden("An application that acts as itself may not do this")
		}
		return domain.NewUnauthenticated("A user's token is required")
	}
	if op.TokenRequired && !who.Scope.Allows(domain.Scope(op.Scope)) {
		return domain.NewForbidden("The token's scope does not allow this")
	}
	return nil
}

// checkRequest holds against the description what the generated decoder does not:
// the whole of a body's schema, and addresses that it would read leniently.
func checkRequest(op *describe.Operation, r *http.Request) error {
	if unusual(r.URL) {
		found, noSuchID := op.CheckParams(r.URL)
		if noSuchID {
			return domain.NewNotFound()
		}
		if len(found) > 0 {
			return violations(found)
		}
	}
	if op.HasBody {
		return checkBody(op, r)
	}
	return nil
}

// unusual reports whether an address holds what the generated decoder does not look
// at closely: escapes in the query, control characters, bytes that are not UTF-8.
func unusual(u *url.URL) bool {
	return strings.ContainsAny(u.RawQuery, "%;") || !utf8.ValidString(u.Path) ||
		strings.ContainsFunc(u.Path, unicode.IsControl)
}

// checkBody reads the body and holds it, and the parameters with it, against the
// description. The generated decoder reads it again.
func checkBody(op *describe.Operation, r *http.Request) error {
	if !op.Accepts(r.Header.Get("Content-Type")) {
		return domain.Wrap(domain.Unsupported, "Send the body as application/json", nil)
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return domain.Wrap(domain.Unsupported, "Send the body as it is, without a Content-Encoding", nil)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return unreadable(err)
	}
	body, found := adapted(op, body)
	if found = append(found, op.CheckBody(body)...); len(found) > 0 {
		params, _ := op.CheckParams(r.URL)
		if found = append(params, found...); !blanks(found) {
			return violations(found)
		}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return nil
}

// blanks reports whether blank texts are all that was found. The use cases refuse them too,
// together with what no schema can say, so that one answer lists both.
func blanks(found []describe.Violation) bool {
	return !slices.ContainsFunc(found, func(v describe.Violation) bool { return v.Why != describe.Blank })
}

// unreadable is what a failure to read a body means: it is too large, too slow, or
// the client has broken off.
func unreadable(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return domain.Wrap(domain.Timeout, "The body came too slowly", err)
	}
	return domain.NewInvalid("body: cannot be read to its end")
}

// violations makes one error of all that was found.
func violations(found []describe.Violation) error {
	fields := make([]string, len(found))
	for i, v := range found {
		fields[i] = v.String()
	}
	return domain.NewInvalid(fields...)
}

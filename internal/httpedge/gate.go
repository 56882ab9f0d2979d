package httpedge

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

	"vitrine/internal/budget"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// Gate stands before a generated server and enforces what the description says
// and the generated code does not: who may call an operation, and the whole of
// its body's schema.
type Gate struct {
	Callers *Callers
	Errors  Errors
	Doc     *describe.Description
	Route   func(method string, u *url.URL) (operationID string, found bool)
	Next    http.Handler

	// Shown names the operations that a server answers to guests also where they are to
	// see nothing of it.
	Shown []string

	// Primary, where it is set, says which requests read at the primary database even where they
	// only read: those whose answer is sent while it is read.
	Primary func(*http.Request) bool

	// Allow, where it is set, refuses who may not call an operation for other reasons than
	// its security.
	Allow func(op *describe.Operation, who domain.Actor) error

	// Address and Body, where they are set, bring what clients send besides to the form
	// that the description has, before it is held against it.
	Address func(operationID string, u *url.URL) *url.URL // u itself for no change, else a copy
	Body    func(op *describe.Operation, body []byte) ([]byte, []describe.Violation)

	// Read, where it is set, makes the body that is held against the description out of a
	// request that may carry its parameters elsewhere, or in another form than JSON.
	Read func(op *describe.Operation, r *http.Request) ([]byte, []describe.Violation, error)
}

// ServeHTTP implements http.Handler.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, ok := g.Callers.admit(w, r, g.Errors)
	if !ok {
		return
	}
	if id, found := g.Route(r.Method, r.URL); found {
		op := g.Doc.Operation(id)
		middleware.From(r.Context()).Operation = id
		if err := g.allowed(op, who); err != nil {
			g.Errors.Fail(r.Context(), w, r, err)
			return
		}
		leave, err := g.Callers.Turn(r, who) // before the body is read, which takes memory
		if err != nil {
			g.Errors.Fail(r.Context(), w, r, err)
			return
		}
		defer leave()
		again, err := keyedRequest(r, who)
		if err != nil {
			g.Errors.Fail(r.Context(), w, r, err)
			return
		}
		if g.Address != nil {
			if address := g.Address(id, r.URL); address != r.URL {
				r = r.Clone(r.Context())
				r.URL = address
			}
		}
		if err := g.checkRequest(op, r); err != nil {
			g.Errors.Fail(r.Context(), w, r, err)
			return
		}
		if again != nil {
			if err := again.finish(); err != nil {
				g.Errors.Fail(r.Context(), w, r, err)
				return
			}
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			budget.Must(r.Context()) // the change is made, so it must be reported
		}
		r = r.WithContext(context.WithValue(r.Context(), admittedKey{}, &admitted{who, op}))
		Reading(w, r, who, !g.primary(r), func(w http.ResponseWriter, r *http.Request) {
			if again != nil {
				g.answerOnce(w, r, who, again)
				return
			}
			g.Next.ServeHTTP(w, r)
		})
		return
	}
	g.Next.ServeHTTP(w, r)
}

// primary reports whether a request reads at the primary, whatever it reads.
func (g *Gate) primary(r *http.Request) bool { return g.Primary != nil && g.Primary(r) }

// admitted is what the gate tells the handlers of a request.
type admitted struct {
	actor     domain.Actor
	operation *describe.Operation
}

type admittedKey struct{}

// Operation is what the description says of the request's operation, or nil.
func Operation(ctx context.Context) *describe.Operation {
	if a, ok := ctx.Value(admittedKey{}).(*admitted); ok {
		return a.operation
	}
	return nil
}

// Actor is who makes the request, as the gate found out.
func Actor(ctx context.Context) domain.Actor {
	if a, ok := ctx.Value(admittedKey{}).(*admitted); ok {
		return a.actor
	}
	return domain.Actor{}
}

// ErrApplication refuses an application that acts as itself.
var ErrApplication = domain.NewForbidden("An application that acts as itself may not do this")

// allowed holds the actor against the security of the operation. An application that
// acts as itself is in the free tier and has no user (behaviour.md section 8).
func (g *Gate) allowed(op *describe.Operation, who domain.Actor) error {
	if !slices.Contains(g.Shown, op.ID) {
		if err := g.Callers.app.Exposure.Admits(who); err != nil {
			return err
		}
	}
	if g.Allow != nil {
		if err := g.Allow(op, who); err != nil {
			return err
		}
	}
	if op.TokenRequired && !who.SignedIn() {
		if who.ApplicationID != 0 && op.Scope == string(domain.ScopeWrite) {
			return ErrApplication
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
func (g *Gate) checkRequest(op *describe.Operation, r *http.Request) error {
	if unusual(r.URL) {
		found, noSuchID := op.CheckParams(r.URL)
		if noSuchID {
			return domain.NewNotFound()
		}
		if len(found) > 0 {
			return Violations(found)
		}
	}
	if op.HasBody {
		return g.checkBody(op, r)
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
func (g *Gate) checkBody(op *describe.Operation, r *http.Request) error {
	body, found, err := g.read(op, r)
	if err != nil {
		return err
	}
	if found = append(found, op.CheckBody(body)...); len(found) > 0 {
		params, _ := op.CheckParams(r.URL)
		if found = append(params, found...); !blanks(found) {
			return Violations(found)
		}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return nil
}

// read gives the body of a request as JSON, and what is wrong with it already.
func (g *Gate) read(op *describe.Operation, r *http.Request) ([]byte, []describe.Violation, error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, nil, domain.Wrap(domain.Unsupported, "Send the body as it is, without a Content-Encoding", nil)
	}
	if g.Read != nil {
		return g.Read(op, r)
	}
	if !op.Accepts(r.Header.Get("Content-Type")) {
		return nil, nil, domain.Wrap(domain.Unsupported, "Send the body as application/json", nil)
	}
	body, err := ReadBody(r)
	if err != nil || g.Body == nil {
		return body, nil, err
	}
	body, found := g.Body(op, body)
	return body, found, nil
}

// ReadBody reads the whole body of a request and charges it to the budget of the request. Errors
// tell the client what was wrong with its request.
func ReadBody(r *http.Request) ([]byte, error) {
	if 0 <= r.ContentLength && r.ContentLength <= smallBody {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = budget.Charge(r.Context(), bodyCopies*int64(len(body)))
		}
		return body, unreadable(err)
	}
	body := &chargedBody{request: r}
	_, err := io.Copy(body, r.Body)
	return body.text.Bytes(), unreadable(err)
}

const (
	smallBody  = 4 << 10 // bytes that are read before the budget is charged
	bodyCopies = 2       // the text and the decoded value
)

// chargedBody is the part of a request body that was read so far.
type chargedBody struct {
	request *http.Request
	text    bytes.Buffer
	room    int64 // bytes that were charged
}

// Write implements io.Writer.
func (b *chargedBody) Write(p []byte) (int, error) {
	if need := int64(b.text.Len() + len(p)); need > b.room {
		need = max(need, b.request.ContentLength) // at most the limit, or reading would have failed
		if err := budget.Charge(b.request.Context(), bodyCopies*(need-b.room)); err != nil {
			return 0, err
		}
		b.text.Grow(int(need) - b.text.Len())
		b.room = need
	}
	return b.text.Write(p)
}

// blanks reports whether blank texts are all that was found. The use cases refuse them too,
// together with what no schema can say, so that one answer lists both.
func blanks(found []describe.Violation) bool {
	return !slices.ContainsFunc(found, func(v describe.Violation) bool { return v.Why != describe.Blank })
}

// unreadable returns the error for a body that cannot be read: it is too large or too slow, there is no
// memory for it, or the client closed the connection.
func unreadable(err error) error {
	if err == nil || domain.KindOf(err) == domain.Unavailable {
		return err
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return domain.Wrap(domain.Timeout, "The body came too slowly", err)
	}
	return domain.InvalidField("body", domain.FieldMalformed, "cannot be read to its end")
}

// Violations makes one error of all that was found.
func Violations(found []describe.Violation) error {
	fields := make([]domain.FieldError, len(found))
	for i, v := range found {
		fields[i] = domain.FieldError{Path: v.Field, Code: domain.FieldShape, Text: v.Why}
	}
	return domain.NewInvalid(fields...)
}

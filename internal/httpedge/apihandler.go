package httpedge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/auth"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/reads"
	"vitrine/internal/scope"
)

// APIHandler wraps a generated server. It authenticates and authorizes requests, validates their
// bodies against the whole schema, which the generated code does not, and implements idempotency
// keys.
type APIHandler struct {
	Callers *Callers
	Errors  Errors
	Doc     *describe.Description
	Route   func(method string, u *url.URL) (operationID string, found bool)
	Next    http.Handler

	// Shown lists the operations that guests may call even if the instance is private.
	Shown []string

	// Always lists the operations that change something even if the site is read-only.
	Always []string

	// Primary selects read requests that must use the primary database because their response is
	// sent while it is being read. It may be nil.
	Primary func(*http.Request) bool

	// Waits selects requests that mostly wait, and therefore count against no limit of requests in progress. Their
	// handler limits their number. It may be nil.
	Waits func(*http.Request) bool

	// Allow refuses calls of an operation for reasons other than its security. It may be nil.
	Allow func(op *describe.Operation, who domain.Actor) error

	// Kept lists the operations whose stored responses to requests with an Idempotency-Key may be larger than usual, with
	// the maximum of bytes.
	Kept map[string]int

	// Condition is that of requests with If-Match. It may be nil.
	Condition Condition

	// Address and Body convert other input forms that clients send to the form in the description,
	// before validation. They may be nil.
	Address func(operationID string, u *url.URL) *url.URL // u itself if unchanged, else a copy
	Body    func(op *describe.Operation, body []byte) ([]byte, []describe.Violation)

	// Read returns the body to validate, for requests that may have their parameters elsewhere or
	// in a format other than JSON. It may be nil.
	Read func(op *describe.Operation, r *http.Request) ([]byte, []describe.Violation, error)
}

// ServeHTTP implements http.Handler.
func (h *APIHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, ok := h.Callers.admit(w, r, h.Errors, domain.Everything)
	if !ok {
		return
	}
	id, found := h.Route(r.Method, r.URL)
	if !found {
		h.Next.ServeHTTP(w, r)
		return
	}
	x := middleware.From(r.Context())
	x.Operation = id
	op := h.Doc.Operation(id)
	err := h.allowed(op, who)
	leave := func() {}
	if err == nil {
		leave, err = h.enter(w, r, x, who)
	}
	if err != nil {
		h.Errors.Fail(r.Context(), w, r, err)
		return
	}
	defer leave()
	checked, again, err := h.prepare(w, r, x, op, who)
	if err != nil {
		h.Errors.Fail(r.Context(), w, r, err)
		return
	}
	Reading(w, checked, who, !h.primary(checked), func(w http.ResponseWriter, r *http.Request) {
		if again != nil {
			h.answerOnce(w, r, who, again)
			return
		}
		h.Next.ServeHTTP(w, r)
	})
}

// enter counts a request in progress, before its body is read, which takes memory. The caller must call leave at its end.
func (h *APIHandler) enter(w http.ResponseWriter, r *http.Request, x *middleware.Exchange, who domain.Actor) (leave func(), err error) {
	if h.Waits == nil || !h.Waits(r) {
		return h.Callers.Enter(r, who)
	}
	Unhurried(w)
	if token, present, _ := bearer(r); present {
		x.TokenHash = auth.HashToken(token)
	}
	return func() {}, nil
}

// prepare checks a request and describes it in the Exchange. It returns the request to serve, and what makes it take effect
// once if it has an Idempotency-Key.
func (h *APIHandler) prepare(w http.ResponseWriter, r *http.Request, x *middleware.Exchange, op *describe.Operation, who domain.Actor) (_ *http.Request, again *keyed, err error) {
	if op.Streams() { // repeating such a request has no effect, even without a key
		x.Upload = r.Clone(r.Context())
		x.Upload.Body = io.NopCloser(middleware.SlowBody(w, r, uploadTimeout))
	} else if again, err = keyedRequest(r, who); err != nil {
		return nil, nil, err
	}
	if h.Address != nil {
		if address := h.Address(op.ID, r.URL); address != r.URL {
			r = r.Clone(r.Context())
			r.URL = address
		}
	}
	if err := h.checkRequest(op, r); err != nil {
		return nil, nil, err
	}
	if again != nil {
		if err := again.finish(); err != nil {
			return nil, nil, err
		}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		x.Scope.Memory.Must() // the change is made, so the response must not fail for lack of memory
	}
	x.Actor, x.Description, x.Scope.Limits = who, op, who.Limits
	h.require(x, op, r)
	return r, again, nil
}

// Condition returns the condition of a request with If-Match, or nil for an operation that takes none. match reports whether
// one of its tags is that of the state of a thing. What follows a dot in a tag identifies a selection of fields and is ignored.
type Condition func(op *describe.Operation, u *url.URL, who domain.Actor, match func(state string) bool) *scope.Match

// require makes the first transaction of a request with If-Match check it.
func (h *APIHandler) require(x *middleware.Exchange, op *describe.Operation, r *http.Request) {
	if lines := r.Header.Values("If-Match"); len(lines) > 0 && h.Condition != nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
		x.Scope.Match = h.Condition(op, r.URL, x.Actor, func(state string) bool {
			return middleware.MatchStrong(lines, func(tag string) bool {
				tag, _, _ = strings.Cut(tag, ".")
				return tag == state
			})
		})
	}
}

// primary reports whether a request must read from the primary.
func (h *APIHandler) primary(r *http.Request) bool { return h.Primary != nil && h.Primary(r) }

// Unhurried removes the deadlines of a response whose handler waits. The next write sets one again (middleware.Pace).
func Unhurried(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // not every writer has a connection
	_ = control.SetWriteDeadline(time.Time{})
}

// Client identifies who sent the request, for limits: the user, the application, or the address of a guest.
func Client(ctx context.Context) string {
	x := middleware.From(ctx)
	return ClientOf(x.Actor, x.ClientIP)
}

// ClientOf is Client for an actor and an address.
func ClientOf(who domain.Actor, address netip.Addr) string {
	switch {
	case who.SignedIn():
		return "user " + strconv.FormatInt(int64(who.UserID), 10)
	case who.ApplicationID != 0:
		return "application " + strconv.FormatInt(int64(who.ApplicationID), 10)
	}
	return address.String()
}

// HeadOnly reports whether the method is HEAD, which is handled as GET.
func HeadOnly(ctx context.Context) bool { return middleware.From(ctx).HeadOnly }

// Operation returns the description of the request's operation, or nil.
func Operation(ctx context.Context) *describe.Operation { return middleware.From(ctx).Description }

// TokenHash returns the hash of the token of a request that waits, nil for guests.
func TokenHash(ctx context.Context) []byte { return middleware.From(ctx).TokenHash }

// Actor returns the authenticated caller.
func Actor(ctx context.Context) domain.Actor { return middleware.From(ctx).Actor }

// Visitor returns who sent the request.
func Visitor(ctx context.Context) domain.Visitor {
	return domain.Visitor{Address: middleware.From(ctx).ClientIP}
}

// ErrApplication refuses applications that act as themselves.
var ErrApplication = domain.NewForbidden("An application that acts as itself may not do this")

// allowed checks whether the actor may call the operation. An application that acts as itself is in
// the free tier and has no user (behaviour.md section 8).
func (h *APIHandler) allowed(op *describe.Operation, who domain.Actor) error {
	if !slices.Contains(h.Shown, op.ID) {
		if err := h.Callers.app.Exposure.Admits(who); err != nil {
			return err
		}
	}
	if h.Allow != nil {
		if err := h.Allow(op, who); err != nil {
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
	if err := WithinLimits(op.ID, who.Limits); err != nil {
		return err
	}
	if slices.Contains(h.Always, op.ID) {
		return nil
	}
	return h.Callers.writable(op)
}

// checkRequest validates what the generated decoder does not: the whole schema of the body, and
// URLs that the decoder would accept too leniently.
func (h *APIHandler) checkRequest(op *describe.Operation, r *http.Request) error {
	if unusual(r.URL) {
		found, noSuchID := op.CheckParams(r.URL)
		if noSuchID {
			return domain.NewNotFound()
		}
		if len(found) > 0 {
			return Violations(found)
		}
	}
	switch {
	case op.Streams():
		return acceptable(op, r)
	case op.HasBody:
		return h.checkBody(op, r)
	}
	return nil
}

// uploadTimeout is the timeout for each part of a body that is read as a stream.
const uploadTimeout = 30 * time.Second

// Upload returns the request of an operation whose body is read as a stream. The handler limits its size.
func Upload(ctx context.Context) *http.Request { return middleware.From(ctx).Upload }

// plain refuses encoded bodies.
func plain(r *http.Request) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return domain.Wrap(domain.Unsupported, "Send the body as it is, without a Content-Encoding", nil)
	}
	return nil
}

// acceptable refuses encoded bodies and those of an undeclared media type.
func acceptable(op *describe.Operation, r *http.Request) error {
	if err := plain(r); err != nil {
		return err
	}
	if !op.Accepts(r.Header.Get("Content-Type")) {
		return domain.Wrap(domain.Unsupported, "Send the body as "+strings.Join(op.BodyTypes(), " or "), nil)
	}
	return nil
}

// unusual reports whether a URL contains characters that the generated decoder does not check
// closely: escapes in the query, control characters, or invalid UTF-8.
func unusual(u *url.URL) bool {
	return strings.ContainsAny(u.RawQuery, "%;") || !utf8.ValidString(u.Path) ||
		strings.ContainsFunc(u.Path, unicode.IsControl)
}

// checkBody reads the body and validates it together with the parameters. The generated decoder
// reads the body again.
func (h *APIHandler) checkBody(op *describe.Operation, r *http.Request) error {
	body, found, err := h.read(op, r)
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

// read returns the body of a request as JSON, and violations found while converting it.
func (h *APIHandler) read(op *describe.Operation, r *http.Request) ([]byte, []describe.Violation, error) {
	if err := plain(r); err != nil {
		return nil, nil, err
	}
	if h.Read != nil {
		return h.Read(op, r)
	}
	if !op.Accepts(r.Header.Get("Content-Type")) {
		return nil, nil, domain.Wrap(domain.Unsupported, "Send the body as application/json", nil)
	}
	body, err := ReadBody(r)
	if err != nil || h.Body == nil {
		return body, nil, err
	}
	body, found := h.Body(op, body)
	return body, found, nil
}

// ReadBody reads the whole body of a request and charges it to the request's memory budget. Its
// errors may be shown to the client.
func ReadBody(r *http.Request) ([]byte, error) {
	if 0 <= r.ContentLength && r.ContentLength <= smallBody {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = scope.Charge(r.Context(), bodyCopies*int64(len(body)))
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

// chargedBody buffers a request body and charges it as it grows.
type chargedBody struct {
	request *http.Request
	text    bytes.Buffer
	charged int64 // bytes charged
}

// Write implements io.Writer.
func (b *chargedBody) Write(p []byte) (int, error) {
	if need := int64(b.text.Len() + len(p)); need > b.charged {
		need = max(need, b.request.ContentLength) // at most the body limit, or reading would have failed
		if err := scope.Charge(b.request.Context(), bodyCopies*(need-b.charged)); err != nil {
			return 0, err
		}
		b.text.Grow(int(need) - b.text.Len())
		b.charged = need
	}
	return b.text.Write(p)
}

// blanks reports whether all violations are blank texts. The use cases refuse those too, together
// with violations that a schema cannot express, so that one response lists all.
func blanks(found []describe.Violation) bool {
	return !slices.ContainsFunc(found, func(v describe.Violation) bool { return v.Why != describe.Blank })
}

// unreadable returns the error for a body that could not be read: it is too large or too slow,
// memory is short, or the client closed the connection.
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

// Violations returns one error with all violations.
func Violations(found []describe.Violation) error {
	fields := make([]domain.FieldError, len(found))
	for i, v := range found {
		fields[i] = domain.FieldError{Path: v.Field, Code: domain.FieldShape, Text: v.Why}
	}
	return domain.NewInvalid(fields...)
}

// Reading calls serve to respond to a request of who. If the database has replicas and the request
// only reads, lagging allows it to read slightly old data from one. If the replica fails before the
// response starts, serve is called again and reads from the primary.
func Reading(w http.ResponseWriter, r *http.Request, who domain.Actor, lagging bool, serve func(http.ResponseWriter, *http.Request)) {
	q := middleware.From(r.Context()).Scope.Reads
	q.For(reads.Asks{Account: int64(who.UserID), Writes: who.Writes})
	if q == nil || !lagging || r.Method != http.MethodGet && r.Method != http.MethodHead {
		serve(w, r)
		return
	}
	q.Lag()
	fromReplica(w, r, q, serve)
}

// fromReplica calls serve again if a replica failed before the response started.
func fromReplica(w http.ResponseWriter, r *http.Request, q *reads.Request, serve func(http.ResponseWriter, *http.Request)) {
	before := w.Header().Clone()
	first := &repeatable{ResponseWriter: w, request: q}
	serve(first, r)
	if first.decide(); !first.dropped {
		return
	}
	clear(w.Header())
	maps.Copy(w.Header(), before)
	serve(w, r)
}

// repeatable drops a response if the replica failed before it started.
type repeatable struct {
	http.ResponseWriter
	request          *reads.Request
	decided, dropped bool
}

// decide decides whether to drop the response, at its start.
func (w *repeatable) decide() {
	if !w.decided {
		w.decided, w.dropped = true, w.request.Repeat()
	}
}

// WriteHeader implements http.ResponseWriter.
func (w *repeatable) WriteHeader(status int) {
	if w.decide(); !w.dropped {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write implements io.Writer.
func (w *repeatable) Write(p []byte) (int, error) {
	if w.decide(); w.dropped {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap supports http.ResponseController.
func (w *repeatable) Unwrap() http.ResponseWriter { return w.ResponseWriter }

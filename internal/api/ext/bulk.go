package ext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// inBulk lists the operations that can be part of a bulk request. Everything that they write is written in transactions of
// the store, so they can be committed together, and they change nothing else.
var inBulk = map[string]bool{
	"createBlock": true, "updateBlock": true, "deleteBlock": true, "disconnectBlock": true,
	"createChannel": true, "updateChannel": true, "deleteChannel": true,
	"createConnection": true, "updateConnection": true, "moveConnection": true, "deleteConnection": true,
	"createBlockComment": true, "updateComment": true, "deleteComment": true,
	"addCollaborator": true, "removeCollaborator": true,
	"followUser": true, "unfollowUser": true, "followChannel": true, "unfollowChannel": true, "followGroup": true, "unfollowGroup": true,
}

// errUndone ends the transaction if one of its operations failed.
var errUndone = errors.New("an operation failed")

// RunBulk implements runBulk.
func (h *handler) RunBulk(ctx context.Context, r *ext.RunBulkReq) (*ext.BulkResults, error) {
	if err := h.callers.Count(ctx, len(r.Operations)-1); err != nil {
		return nil, err
	}
	if !r.Atomic.Or(false) {
		results := h.operations(ctx, r.Operations, nil)
		return &ext.BulkResults{Committed: true, Results: shownResults(results)}, nil
	}
	var results []httpedge.Result
	err := h.app.Collections.Together(ctx, func(tx any) error {
		results = h.operations(ctx, r.Operations, tx)
		return undone(results)
	})
	if err != nil && !errors.Is(err, errUndone) {
		return nil, err
	}
	return &ext.BulkResults{Committed: err == nil, Results: shownResults(results)}, nil
}

// undone returns the error that ends the transaction of operations, nil if none failed. A temporary one is that of the
// operation, so that the transaction is repeated after a conflict with another, and the response is not kept for its
// Idempotency-Key.
func undone(results []httpedge.Result) error {
	err := error(nil)
	for _, r := range results {
		if r.Temporary() && r.Err != nil {
			return r.Err
		}
		if r.Failed() {
			err = errUndone
		}
	}
	return err
}

// Bounds of the operations of one request.
const (
	maxResponses   = 8 << 20         // bytes of their responses
	maxKeptResults = 1 << 20         // bytes of the response that is stored for an Idempotency-Key
	maxTogether    = 5 * time.Second // within one transaction, which other writes wait for on SQLite
)

var (
	errLarge = domain.NewUnprocessable("The responses to the operations before this one are too large: send the others in another request")
	errLong  = domain.NewUnprocessable("The operations before this one took too long to be committed together: send fewer")
)

// operations carries out operations in their order. Within a transaction, it stops at the first one that fails; all others
// then depend on it.
func (h *handler) operations(ctx context.Context, all []ext.BulkOperation, tx any) []httpedge.Result {
	results := make([]httpedge.Result, len(all))
	size, start := 0, time.Now()
	for i := range all {
		switch {
		case size > maxResponses:
			results[i] = refusal(errLarge)
		case tx != nil && time.Since(start) > maxTogether:
			results[i] = refusal(errLong)
		default:
			results[i] = h.operation(ctx, &all[i], results[:i], tx)
		}
		size += len(results[i].Body)
		if tx != nil && results[i].Failed() {
			for j := range results {
				if j != i {
					results[j] = dependent("Nothing was changed, because operation " + strconv.Itoa(i) + " failed")
				}
			}
			break
		}
	}
	return results
}

// refusal returns the result of an operation that was not carried out because of a bound of the request.
func refusal(err *domain.Error) httpedge.Result {
	return httpedge.Result{Status: http.StatusUnprocessableEntity, Body: httpedge.ErrorBody(http.StatusUnprocessableEntity, err.Message, nil)}
}

// dependent returns the result of an operation that was not carried out because of another one.
func dependent(message string) httpedge.Result {
	return httpedge.Result{Status: http.StatusFailedDependency, Body: httpedge.ErrorBody(http.StatusFailedDependency, message, nil)}
}

// operation carries out one operation after those with the given results.
func (h *handler) operation(ctx context.Context, op *ext.BulkOperation, before []httpedge.Result, tx any) httpedge.Result {
	refs := references{before: before}
	part := httpedge.Part{Method: string(op.Method), Path: refs.inPath(op.Path), IfMatch: op.IfMatch.Or(""), Within: tx, Allowed: inBulk}
	if op.Body.Set {
		part.Body = refs.inBody(op.Body.Value)
	}
	if refs.fault != nil {
		return *refs.fault
	}
	if strings.HasPrefix(part.Path, "/ext/") {
		return h.own(ctx, part)
	}
	return h.public(ctx, part)
}

// references resolves references to earlier results.
type references struct {
	before []httpedge.Result
	values map[int]any      // decoded results
	fault  *httpedge.Result // the first one
}

// reference is $ with the number of an operation, and the names of fields or the numbers of items of lists.
var reference = regexp.MustCompile(`^\$([0-9]{1,2})((?:\.[A-Za-z_][A-Za-z0-9_]*)(?:\.[A-Za-z0-9_]+)*)$`)

// maxReferred is the length in bytes of the longest text that a reference can insert, so that a small request cannot repeat
// a large text.
const maxReferred = 1000

// value returns the value of a reference. ok is false for other texts.
func (r *references) value(text string) (value any, ok bool) {
	m := reference.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	n, _ := strconv.Atoi(m[1]) // digits
	if n >= len(r.before) {
		r.refuse(http.StatusUnprocessableEntity, text+" does not refer to an earlier operation")
		return nil, true
	}
	if r.before[n].Failed() {
		r.refuse(http.StatusFailedDependency, "Operation "+m[1]+" failed, to which "+text+" refers")
		return nil, true
	}
	if _, known := r.values[n]; !known {
		if r.values == nil {
			r.values = map[int]any{}
		}
		d := json.NewDecoder(bytes.NewReader(r.before[n].Body))
		d.UseNumber()
		var v any
		_ = d.Decode(&v) // an operation without a body has no fields
		r.values[n] = v
	}
	value = r.values[n]
	for name := range strings.SplitSeq(m[2][1:], ".") {
		switch in := value.(type) {
		case map[string]any:
			value = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if value = nil; err == nil && i < len(in) {
				value = in[i]
			}
		default:
			value = nil
		}
	}
	switch v := value.(type) {
	case string:
		if len(v) <= maxReferred {
			return v, true
		}
	case json.Number, bool:
		return v, true
	}
	r.refuse(http.StatusUnprocessableEntity, text+" is not a field with a short plain value in the response to operation "+m[1])
	return nil, true
}

func (r *references) refuse(status int, message string) {
	if r.fault == nil {
		r.fault = &httpedge.Result{Status: status, Body: httpedge.ErrorBody(status, message, nil)}
	}
}

// inPath replaces references that are whole segments of a path.
func (r *references) inPath(path string) string {
	address, query, _ := strings.Cut(path, "?")
	segments := strings.Split(address, "/")
	for i, s := range segments {
		if value, ok := r.value(s); ok {
			segments[i] = url.PathEscape(plain(value))
		}
	}
	if path = strings.Join(segments, "/"); query != "" {
		path += "?" + query
	}
	return path
}

func plain(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// inBody replaces texts of a body that are references.
func (r *references) inBody(body wire.JSON) []byte {
	if !bytes.Contains(body, []byte(`"$`)) && !bytes.Contains(body, []byte(`\u0024`)) {
		return body
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return body // request validation refuses it
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(r.replaced(value)); err != nil {
		return body
	}
	return out.Bytes()
}

func (r *references) replaced(value any) any {
	switch v := value.(type) {
	case string:
		if rest, ok := strings.CutPrefix(v, "$$"); ok && reference.MatchString("$"+rest) {
			return "$" + rest
		}
		if found, ok := r.value(v); ok {
			return found
		}
	case []any:
		for i := range v {
			v[i] = r.replaced(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = r.replaced(v[name])
		}
	}
	return value
}

func shownResults(results []httpedge.Result) []ext.BulkResultsResultsItem {
	all := make([]ext.BulkResultsResultsItem, len(results))
	for i, r := range results {
		all[i].Status = int64(r.Status)
		if body := bytes.TrimSpace(r.Body); len(body) > 0 {
			all[i].Body = ext.NewOptJSON(body)
		}
	}
	return all
}

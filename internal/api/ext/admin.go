package ext

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-faster/jx"

	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// adminLimit is how many items a list of operators has by default.
const adminLimit = 50

// isAdmin reports whether a request is one of operators, who read what is there now.
func isAdmin(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/ext/v1/admin/") }

// operator returns the acting operator.
func operator(ctx context.Context) operating.Operator {
	return operating.OnSite(httpedge.Actor(ctx), httpedge.Visitor(ctx))
}

// place is where a part of a list begins, and how many items it has at most.
type place struct {
	at    int64 // the number in the cursor; 0 is the beginning
	id    int64 // the second number, 0 if there is none
	limit int
}

// placeOf reads the parameters of a list. Its cursors contain the number of the last item, which is no secret of operators,
// and for some lists a second one.
func placeOf(cursor ext.OptString, limit ext.OptInt64) (p place, err error) {
	p.limit = int(limit.Or(adminLimit))
	if !cursor.Set || cursor.Value == "" {
		return p, nil
	}
	first, second, two := strings.Cut(cursor.Value, "-")
	p.at, err = strconv.ParseInt(first, 10, 64)
	if err == nil && two {
		p.id, err = strconv.ParseInt(second, 10, 64)
	}
	if err != nil || p.at < 1 || p.id < 0 {
		return p, domain.InvalidField("cursor", domain.FieldMalformed, "is not a cursor of this list")
	}
	return p, nil
}

// listed converts one more item than a part has at most, and returns the cursor after the part, null at the end.
func listed[T, W any](all []T, p place, cursor func(T) string, convert func(T) W) (out []W, next ext.NilString) {
	next.Null = true
	if len(all) > p.limit {
		all = all[:p.limit]
		next = ext.NewNilString(cursor(all[p.limit-1]))
	}
	out = make([]W, len(all))
	for i, one := range all {
		out[i] = convert(one)
	}
	return out, next
}

// numbered returns the cursor of an item that a number identifies.
func numbered[ID ~int64](id ID) string { return strconv.FormatInt(int64(id), 10) }

// given returns nil for a value that is not in the request.
func given[T any](value T, set bool) *T {
	if !set {
		return nil
	}
	return &value
}

// moment converts the zero time to null.
func moment(t time.Time) wire.Time { return wire.Time{Time: t} }

func subjectOf(t domain.AuditTarget) ext.AdminSubject {
	return ext.AdminSubject{Type: t.Kind, ID: t.ID, Label: t.Label}
}

// instantOf converts the microseconds of a cursor; 0 is the zero time.
func instantOf(us int64) (t time.Time) {
	if us != 0 {
		t = time.UnixMicro(us)
	}
	return t
}

// noTime is the zero time, for a missing parameter.
var noTime time.Time

// encode returns the JSON of an item.
func encode(item wire.Item) wire.JSON {
	var e jx.Encoder
	item.Encode(&e)
	return e.Bytes()
}

package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

var pathParam = regexp.MustCompile(`\{\w+\}`)

// alwaysPossible are the changes that are possible while the site is read-only (TestAdminReadOnly).
var alwaysPossible = []string{"adminAnnounce", "adminEndAnnouncement", "adminBeginReadOnly", "adminEndReadOnly"}

// While the site is read-only, every described operation that changes something is refused in the shape of its interface, the
// others are not, and nothing changes in the database.
func TestReadOnlyOperations(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Block("ada", "Moss", r.Channel("ada", "Plants", "public"))
		r.WorkJobs()
		r.Operator("ada")
		r.Get("ada/admin", "/ext/v1/admin/server")
		if _, err := r.S.App.Operating.BeginReadOnly(t.Context(), operating.CommandLine(), operating.ReadOnlyInput{}); err != nil {
			t.Fatal(err)
		}
		before, refused := r.Dump(), 0
		for _, doc := range r.Descriptions() {
			for _, op := range doc.Operations() {
				if slices.Contains(alwaysPossible, op.ID) {
					continue
				}
				as, path := "ada", pathParam.ReplaceAllString(strings.ReplaceAll(op.Path, "{type}", "Block"), "1")
				if strings.HasPrefix(path, "/ext/v1/admin/") {
					as = "ada/admin"
				}
				res := r.Do(as, op.Method, path, nil, "Content-Type", "application/json")
				writes := op.Scope == string(domain.ScopeWrite) || op.ID == "adminLook" // which records each access
				if got := res.Status == http.StatusServiceUnavailable; got != writes && !strings.HasSuffix(path, "/events") {
					t.Errorf("%s %s: %d %s", op.Method, path, res.Status, res.Body)
				}
				if !writes {
					continue
				}
				refused++
				if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err != nil || n < 60 || !strings.Contains(string(res.Body), "read-only") {
					t.Errorf("%s %s: Retry-After %q, %s", op.Method, path, res.Header.Get("Retry-After"), res.Body)
				}
			}
		}
		after := r.Dump()
		delete(before, "secrets") // the server's own
		delete(after, "secrets")
		if diff := before.Diff(after); len(diff) > 0 || refused < 60 {
			t.Errorf("%d operations were refused, and changed %s", refused, diff)
		}
	})
}

// The database refuses changes of a server that does not know of the mode yet, in handlers with valid input.
func TestReadOnlyUnknown(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		m := newMatrix(r)
		s := m.stage("owner", "public")
		r.WorkJobs()
		if _, err := r.S.App.Operating.BeginReadOnly(t.Context(), operating.CommandLine(), operating.ReadOnlyInput{}); err != nil {
			t.Fatal(err)
		}
		before, refused := r.Dump(), 0
		for name, do := range operations {
			r.S.Store.NoteReadOnly(nil)
			res := do(m, s, "owner")
			if strings.HasPrefix(name, "get") {
				res.Want(http.StatusOK)
				continue
			}
			if name == "updateBlock" { // the block is not the owner's
				res.Want(http.StatusForbidden)
				continue
			}
			if refused++; res.Status != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %d %s", name, res.Status, res.Body)
			}
		}
		r.S.Store.NoteReadOnly(nil)
		keyed := r.Do("owner", "POST", "/v3/channels", map[string]any{"title": "New"}, "Idempotency-Key", "k1")
		keyed.Want(http.StatusServiceUnavailable)
		if diff := before.Diff(r.Dump()); len(diff) > 0 || refused < 10 {
			t.Errorf("%d operations were refused, and changed %s", refused, diff)
		}
		if _, err := r.S.App.Operating.EndReadOnly(t.Context(), operating.CommandLine()); err != nil {
			t.Fatal(err)
		}
		r.Do("owner", "POST", "/v3/channels", map[string]any{"title": "New"}, "Idempotency-Key", "k1").Want(http.StatusCreated)
		r.Do("owner", "PUT", fmt.Sprint("/v3/channels/", s.channel), map[string]any{"title": "Later"}).Want(http.StatusOK)
	})
}

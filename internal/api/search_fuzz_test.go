package api_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/store/storetest"
)

// pieces are parts of queries and texts.
var pieces = []string{`"`, "'", "*", "^", ":", "(", ")", "-", "+", "{", "}", "|", "&", "!", "<->", "\\", "%", "_", ",", ".", " ", "\t", "NEAR", "AND",
	"NOT", "OR", "title", "body", "a", "é", "東", "京", "ー", "ไ", "ท", "\u0301", "\u200d", "🌱", "\u00ad", "ß", "ﬁ", "1", "https://", "example.org/", "\U0010ffff"}

// twins returns servers on all databases with the same content.
func twins(t testing.TB) []*apptest.Rig {
	all := []*apptest.Rig{apptest.New(t)}
	if os.Getenv(dbtest.Env) != "" {
		all = append(all, apptest.Boot(t, storetest.Migrated.Postgres(t)))
	}
	for _, r := range all {
		shelf, secret := r.Channel("ada", "Shelf of a", "public"), r.Channel("ben", "a secret", "private")
		r.Block("ben", "a hidden "+pieces[0], secret)
		r.Block("ada", strings.Join(pieces, " x "), shelf)
		rng := rand.New(rand.NewPCG(3, 4))
		for range 20 {
			r.Block("ada", "a"+someOf(rng, 6), shelf)
		}
	}
	return all
}

func someOf(rng *rand.Rand, limit int) string {
	var b strings.Builder
	for range rng.IntN(limit) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return b.String()
}

// searched returns the status and the results of a search by ada.
func searched(t *testing.T, r *apptest.Rig, token, path string) (int, []string) {
	req := httptest.NewRequest(http.MethodGet, path, nil)
	req.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	r.S.Handler().ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		return w.Code, nil
	}
	return w.Code, typed(&apptest.Response{T: t, Body: w.Body.Bytes()})
}

// expectAlike sends a query to all servers. None may fail, and all must return the same.
func expectAlike(t *testing.T, all []*apptest.Rig, tokens []string, query string) {
	t.Helper()
	for _, sort := range []string{"score_desc", "created_at_asc", "name_asc", "random"} {
		var status int
		var found []string
		for i, r := range all {
			code, got := searched(t, r, tokens[i], find("query", query, "sort", sort, "per", "100", "type", "Block,Channel"))
			if code != http.StatusOK && code != http.StatusBadRequest {
				t.Fatalf("%q by %s: %d", query, sort, code)
			}
			slices.Sort(got)
			if i > 0 && (code != status || !slices.Equal(got, found)) {
				t.Fatalf("%q by %s: %d %v and %d %v", query, sort, status, found, code, got)
			}
			status, found = code, got
		}
	}
}

func tokensOf(all []*apptest.Rig) (tokens []string) {
	for _, r := range all {
		tokens = append(tokens, r.Person("ada").Token)
	}
	return tokens
}

// No query causes a server error, and the results are the same on both databases.
func FuzzSearchQuery(f *testing.F) {
	for _, seed := range []string{"ada", "a", `"a b" c*`, `"*^:()-`, `"`, `""""`, "NEAR(a, b)", "東京 x", "a'b\\", "https://example.org/a?b=c", "'' <-> !",
		"a\x00b", "\xff", "title : a", "a:*", "é", "e\u0301", "*", "", "a*b", strings.Repeat("x", 5000), strings.Repeat("a ", 101)} {
		f.Add(seed)
	}
	all := twins(f)
	tokens := tokensOf(all)
	f.Fuzz(func(t *testing.T, query string) { expectAlike(t, all, tokens, query) })
}

// TestSearchTakesAnyQuery does the same with random queries.
func TestSearchTakesAnyQuery(t *testing.T) {
	t.Parallel()
	all := twins(t)
	tokens := tokensOf(all)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		expectAlike(t, all, tokens, someOf(rng, 12))
	}
}

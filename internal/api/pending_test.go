package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	apppeople "vitrine/internal/app/people"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// viewers read everything. The owner has the large channel, the partner is in the groups that get and give one, the fan
// follows everything, and the keeper has the channel that contains the large one.
var viewers = []string{"", "owner", "partner", "helper", "fan", "author", "keeper"}

// pendingWorld is a site where a small channel already counts as large, so that its changes are left to jobs.
type pendingWorld struct {
	*apptest.Rig
	large, firms, parent, secret int64 // channels
	channels, blocks             []int64
	firm, circle                 domain.GroupID
	shared, noted                int64 // blocks: one that is also elsewhere, one with comments
}

func newPendingWorld(r *apptest.Rig) *pendingWorld {
	r.S.Store.LimitTransitions(store.TransitionLimits{AtOnce: 3, Batch: 2})
	w := &pendingWorld{Rig: r}
	r.Person("keeper")
	for _, as := range viewers[1:] {
		r.Person(as)
	}
	w.firm, w.circle = r.Group("Firm", "founder", "partner", "owner"), r.Group("Circle", "owner")
	w.large = r.Channel("owner", "Large one", "closed")
	w.parent = r.Channel("keeper", "Parent", "closed")
	w.secret = r.Channel("keeper", "Secret", "private")
	w.firms = r.Do("partner", "POST", "/v3/channels", map[string]any{"title": "Of the firm", "visibility": "closed",
		"owner": map[string]any{"type": "Group", "id": w.firm}}).Want(http.StatusCreated).Int("id")
	small := r.Channel("author", "Small", "private")
	r.Collaborate("owner", w.large, "helper")
	r.Collaborate("owner", w.large, "author")
	r.Collaborate("keeper", w.parent, "owner")
	for i := range 5 {
		w.blocks = append(w.blocks, r.Block("owner", fmt.Sprint("Moss ", i), w.large), r.Block("author", fmt.Sprint("Fern ", i), w.large),
			r.Block("partner", fmt.Sprint("Moss of the firm ", i), w.firms))
	}
	w.shared, w.noted = w.blocks[0], w.blocks[1]
	r.Connect("keeper", "Block", w.shared, w.parent)
	r.Connect("keeper", "Block", w.blocks[3], w.secret)
	r.Connect("author", "Block", w.blocks[4], small)
	r.Connect("partner", "Block", w.blocks[6], w.firms)
	r.Connect("keeper", "Channel", w.large, w.parent)
	r.Connect("keeper", "Channel", w.firms, w.parent)
	r.Connect("owner", "Channel", w.parent, w.large)
	for i := range 2 {
		w.blocks = append(w.blocks, r.Block("keeper", fmt.Sprint("Moss in between ", i), w.parent))
	}
	w.channels = []int64{w.large, w.firms, w.parent, w.secret, small}
	for _, as := range []string{"author", "owner", "keeper"} {
		for _, block := range []int64{w.shared, w.noted} {
			r.Do(as, "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": "What moss, @keeper!"}).Want(http.StatusCreated)
		}
	}
	for _, id := range w.channels[:3] {
		w.follow("fan", domain.SubjectChannel, id)
		w.follow("partner", domain.SubjectChannel, id)
	}
	for _, who := range []string{"owner", "author", "keeper"} {
		w.follow("fan", domain.SubjectUser, int64(r.Person(who).ID))
	}
	w.follow("owner", domain.SubjectUser, int64(r.Person("fan").ID))
	w.follow("fan", domain.SubjectGroup, int64(w.firm))
	w.blocks = append(w.blocks, r.Block("owner", "Moss for the feed", w.large), r.Block("partner", "Fern for the feed", w.firms))
	return w
}

func (w *pendingWorld) follow(as string, kind domain.SubjectType, id int64) {
	w.T.Helper()
	actor := domain.Actor{UserID: w.Person(as).ID, Scope: domain.ScopeWrite}
	if err := w.S.App.People.Follow(w.T.Context(), actor, apppeople.FollowTarget{Type: kind, Ref: domain.Ref{ID: id}}); err != nil {
		w.T.Fatal(err)
	}
}

// reads returns the paths of all reads.
func (w *pendingWorld) reads() (paths []string) {
	add := func(format string, args ...any) { paths = append(paths, fmt.Sprintf(format, args...)) }
	for _, id := range []int64{w.large, w.firms, w.parent} {
		add("/v3/channels/%d", id)
		add("/v3/channels/%d/connections", id)
		add("/v3/channels/%d/followers", id)
		add("/v3/channels/%d/contents", id)
		add("/v3/channels/%d/contents?sort=updated_at_asc&per=3&page=2", id)
		add("/ext/v1/channels/%d/collaborators", id)
	}
	add("/ext/v1/channels/%d/contents?query=moss", w.large)
	add("/v3/search?query=*&channel_id=%d", w.large)
	for _, id := range append([]int64{w.blocks[2], w.blocks[3], w.blocks[4]}, w.shared, w.noted) {
		add("/v3/blocks/%d", id)
		add("/v3/blocks/%d/connections", id)
	}
	add("/v3/blocks/%d/comments", w.shared)
	for _, who := range []string{"owner", "author", "fan"} {
		for _, more := range []string{"", "/contents?per=100", "/followers", "/following", "/groups"} {
			add("/v3/users/%d%s", w.Person(who).ID, more)
		}
	}
	add("/v3/users/%d/contents?type=Text&sort=updated_at_asc&per=2&page=2", w.Person("author").ID)
	add("/v3/search?query=moss&user_id=%d", w.Person("owner").ID)
	add("/v3/search?query=*&group_id=%d", w.firm)
	for _, id := range []domain.GroupID{w.firm, w.circle} {
		for _, more := range []string{"", "/contents?per=100", "/contents?per=3&page=2", "/members", "/followers"} {
			add("/v3/groups/%d%s", id, more)
		}
	}
	for _, sort := range []string{"&per=100", "&sort=created_at_desc&per=4&page=2", "&sort=connections_count_desc", "&sort=name_asc", "&sort=random&seed=7", "&sort=updated_at_desc"} {
		add("/v3/search?query=*%s", sort)
	}
	return append(paths, "/v3/search?query=moss", "/v3/search?query=fern&sort=created_at_desc", "/v3/search?query=large",
		"/v3/search?query=*&scope=my", "/v3/search?query=moss&scope=following", "/v3/search?query=*&scope=following",
		"/v3/me", "/v3/me/feed", "/v3/me/notifications")
}

// cursors depend on more than the visible content.
var cursors = regexp.MustCompile(`"(next_cursor|prev_cursor|cursor)":"[^"]*"`)

// answers returns the responses of all reads to all viewers, except those who are gone.
func (w *pendingWorld) answers(gone string) map[string]string {
	w.T.Helper()
	all := map[string]string{}
	for _, as := range viewers {
		if as != "" && as == gone {
			continue
		}
		for _, path := range w.reads() {
			res := httptest.NewRecorder() // without validation against the description, which would take most of the time
			w.S.Handler().ServeHTTP(res, w.Request(as, "GET", path, nil))
			body := res.Body.String()
			if res.Code >= 500 || strings.Contains(body, `"data":[null`) || strings.Contains(body, `"item":null`) {
				w.T.Errorf("%q, %s: %d %s", as, path, res.Code, body)
			}
			all[as+" "+path] = fmt.Sprint(res.Code, " ", cursors.ReplaceAllString(body, ""))
		}
	}
	return all
}

// same fails if responses differ.
func (w *pendingWorld) same(when string, was, is map[string]string) {
	w.T.Helper()
	n := 0
	for what := range was {
		if was[what] != is[what] {
			if n++; n <= 5 {
				w.T.Errorf("%s: %s:\n%s\nafter the jobs\n%s", when, what, was[what], is[what])
			}
		}
	}
	if n > 5 {
		w.T.Errorf("%s: %d answers differ", when, n)
	}
}

// pendingChanges are changes that leave work for jobs, with the viewer who is gone afterwards.
var pendingChanges = map[string]struct {
	gone string
	do   func(w *pendingWorld)
}{
	"a channel turns private": {"", func(w *pendingWorld) { w.turn("private") }},
	"a channel turns private and back": {"", func(w *pendingWorld) {
		w.turn("private")
		storetest.ApplySome(w.T, w.S.Store)
		w.turn("public")
	}},
	"a channel turns open": {"", func(w *pendingWorld) {
		w.turn("private")
		w.WorkJobs()
		w.turn("closed")
	}},
	"a channel turns and changes meanwhile": {"", func(w *pendingWorld) {
		w.turn("private")
		storetest.ApplySome(w.T, w.S.Store)
		w.blocks = append(w.blocks, w.Block("helper", "Moss of late", w.large))
		for _, i := range []int{0, 3} {
			w.Do("owner", "DELETE", fmt.Sprintf("/v3/connections/%d", w.Connect("owner", "Block", w.blocks[i], w.large)), nil).Want(http.StatusNoContent)
		}
		w.Connect("keeper", "Block", w.shared, w.parent)
		w.turn("closed")
		w.Connect("helper", "Block", w.blocks[0], w.large)
	}},
	"a channel is given to a group": {"", func(w *pendingWorld) { w.give("owner", w.large, "Group", int64(w.firm)) }},
	"a channel is taken from a group": {"", func(w *pendingWorld) {
		w.give("partner", w.firms, "User", int64(w.Person("partner").ID))
	}},
	"a channel goes from group to group, and private": {"", func(w *pendingWorld) {
		w.give("owner", w.large, "Group", int64(w.firm))
		storetest.ApplySome(w.T, w.S.Store)
		w.turn("private")
		w.give("owner", w.large, "Group", int64(w.circle))
	}},
	"a group ends that has a channel": {"", func(w *pendingWorld) {
		w.give("owner", w.large, "Group", int64(w.circle))
		storetest.ApplySome(w.T, w.S.Store)
		w.Do("owner", "DELETE", fmt.Sprintf("/v3/groups/%d", w.circle), nil).Want(http.StatusNoContent)
	}},
	"a channel is deleted": {"", func(w *pendingWorld) {
		w.Do("owner", "DELETE", fmt.Sprintf("/v3/channels/%d", w.large), nil).Want(http.StatusNoContent)
	}},
	"a channel of a group is deleted": {"", func(w *pendingWorld) {
		w.Do("partner", "DELETE", fmt.Sprintf("/v3/channels/%d", w.firms), nil).Want(http.StatusNoContent)
	}},
	"a block is deleted": {"", func(w *pendingWorld) {
		w.turn("private")
		w.Do("owner", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", w.shared), nil).Want(http.StatusNoContent)
	}},
	"a comment is deleted": {"", func(w *pendingWorld) {
		id := w.Get("keeper", "/v3/blocks/%d/comments", w.shared).Ints("data", "id")[0]
		w.Do("author", "DELETE", fmt.Sprintf("/v3/comments/%d", id), nil).Want(http.StatusNoContent)
	}},
	"an account is deleted": {"owner", func(w *pendingWorld) {
		actor := domain.Actor{UserID: w.Person("owner").ID, Scope: domain.ScopeWrite}
		if err := w.S.App.Accounts.DeleteAccount(w.T.Context(), actor, w.Proved(actor.UserID), "owner"); err != nil {
			w.T.Fatal(err)
		}
	}},
}

func (w *pendingWorld) turn(visibility string) {
	w.T.Helper()
	w.Do("owner", "PUT", fmt.Sprint("/v3/channels/", w.large), map[string]any{"visibility": visibility}).Want(http.StatusOK)
}

func (w *pendingWorld) give(as string, channel int64, kind string, id int64) {
	w.T.Helper()
	w.Do(as, "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"owner": map[string]any{"type": kind, "id": id}}).Want(http.StatusOK)
}

// Before and during the jobs of a change, everybody gets the same responses as afterwards, including totals.
func TestReadsBeforeTheJobs(t *testing.T) {
	t.Parallel()
	for name, change := range pendingChanges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
				w := newPendingWorld(r)
				w.WorkJobs()
				change.do(w)
				if left, err := r.S.Store.Transitions().Pending(t.Context(), 0, 1); err != nil || len(left) == 0 && name != "a comment is deleted" {
					t.Errorf("nothing is pending, %v", err)
				}
				before := w.answers(change.gone)
				storetest.Check(t, r.S.Store)
				storetest.ApplySome(t, r.S.Store)
				half := w.answers(change.gone)
				w.WorkJobs()
				after := w.answers(change.gone)
				w.same("before the jobs", before, after)
				w.same("half done", half, after)
				if left, err := r.S.Store.Transitions().Pending(t.Context(), 0, 1); err != nil || len(left) > 0 {
					t.Errorf("%v is pending after the jobs, %v", left, err)
				}
			})
		})
	}
}

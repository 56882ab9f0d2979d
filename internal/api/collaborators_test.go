package api_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// slugs returns the slugs of a list in the body, in order.
func slugs(res *apptest.Response, list string) string {
	res.T.Helper()
	all := make([]string, res.Len(list))
	for i := range all {
		all[i] = res.Str(fmt.Sprintf("%s.%d.slug", list, i))
	}
	return strings.Join(all, " ")
}

// TestCollaborators adds and removes users and groups, also repeatedly.
func TestCollaborators(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ben, cleo := r.Person("ben").ID, r.Person("cleo").ID
		crew := r.Group("Crew", "dora", "emil")
		channel := r.Channel("ada", "Shared", "closed")
		at := fmt.Sprintf("/ext/v1/channels/%d/collaborators", channel)
		user, group := func(id any) string { return fmt.Sprintf(`{"user_id":%d}`, id) }, func(id any) string { return fmt.Sprintf(`{"group_id":%d}`, id) }
		for _, step := range []struct {
			method, path, body string
			status             int
			then               string
		}{
			{"POST", at, user(ben), 201, "ben"}, {"POST", at, group(crew), 201, "ben crew"}, {"POST", at, user(cleo), 201, "ben crew cleo"},
			{"POST", at, user(ben), 200, "ben crew cleo"}, {"POST", at, group(crew), 200, "ben crew cleo"},
			{"POST", "/ext/v1/channels/shared/collaborators", user(cleo), 200, "ben crew cleo"},
			{"POST", at, user(r.Person("ada").ID), 422, "ben crew cleo"},
			{"POST", at, user(9999), 404, "ben crew cleo"}, {"POST", at, group(9999), 404, "ben crew cleo"},
			{"POST", at, `{}`, 400, "ben crew cleo"}, {"POST", at, fmt.Sprintf(`{"user_id":%d,"group_id":%d}`, ben, crew), 400, "ben crew cleo"},
			{"POST", at, `{"user_id":0}`, 400, "ben crew cleo"}, {"POST", at, `{"user_id":"ben"}`, 400, "ben crew cleo"},
			{"DELETE", fmt.Sprintf("%s/Group/%d", at, cleo), "", 204, "ben crew cleo"}, // ids belong to one type
			{"DELETE", fmt.Sprintf("%s/Group/%d", at, crew), "", 204, "ben cleo"},
			{"DELETE", fmt.Sprintf("%s/Group/%d", at, crew), "", 204, "ben cleo"},
			{"DELETE", at + "/Group/9999", "", 204, "ben cleo"}, {"DELETE", fmt.Sprintf("%s/Channel/%d", at, ben), "", 400, "ben cleo"},
			{"DELETE", fmt.Sprintf("%s/User/%d", at, ben), "", 204, "cleo"},
			{"POST", at, user(ben), 201, "cleo ben"}, // added again, so last
		} {
			before := r.Get("ada", "/v3/channels/%d", channel)
			res := r.Do("ada", step.method, step.path, step.body)
			if res.Status != step.status {
				t.Errorf("%s %s %s: status %d, want %d: %s", step.method, step.path, step.body, res.Status, step.status, res.Body)
			}
			now, list := r.Get("zoe", "/v3/channels/%d", channel), r.Get("", "%s", at)
			n := int64(len(strings.Fields(step.then)))
			if slugs(list, "data") != step.then || slugs(now, "collaborators") != step.then || now.Int("counts.collaborators") != n {
				t.Errorf("%s %s %s: %s, channel shows %s and counts %v; want %s", step.method, step.path, step.body,
					slugs(list, "data"), slugs(now, "collaborators"), now.Get("counts"), step.then)
			}
			if now.Str("updated_at") != before.Str("updated_at") {
				t.Errorf("%s %s %s: updated_at moved", step.method, step.path, step.body)
			}
		}
	})
}

// TestCollaboratorShape: a user and a group have the same embedded form when added and when listed, with the URLs of
// their pages.
func TestCollaboratorShape(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		crew := r.Group("Night Crew", "ben")
		channel := r.Channel("ada", "Shared", "private")
		at := fmt.Sprintf("/ext/v1/channels/%d/collaborators", channel)
		want := []string{
			fmt.Sprintf("map[avatar:<nil> id:%d initials:C name:Cleo slug:cleo type:User]", r.Person("cleo").ID),
			fmt.Sprintf("map[avatar:<nil> id:%d initials:NC name:Night Crew slug:night-crew type:Group]", crew),
		}
		paged := []string{
			strings.TrimSuffix(want[0], "]") + " web_url:" + apptest.Base + "/cleo]",
			strings.TrimSuffix(want[1], "]") + " web_url:" + apptest.Base + "/group/night-crew]",
		}
		for i, body := range []map[string]any{{"user_id": r.Person("cleo").ID}, {"group_id": crew}} {
			for _, status := range []int{201, 200} {
				if got := fmt.Sprint(r.Do("ada", "POST", at, body).Want(status).Get("")); got != paged[i] {
					t.Errorf("%d: %s, want %s", status, got, paged[i])
				}
			}
		}
		for _, who := range []string{"ada", "cleo", "ben"} {
			if got := r.Get(who, "/v3/channels/%d", channel).Get("collaborators"); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s gets %v, want %s", who, got, want)
			}
			if got := r.Get(who, "%s", at).Get("data"); fmt.Sprint(got) != fmt.Sprint(paged) {
				t.Errorf("%s gets %v, want %s", who, got, paged)
			}
		}
	})
}

// TestGroupCollaborationCountsForItsMembers as long as both collaboration and membership last, including later
// memberships.
func TestGroupCollaborationCountsForItsMembers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		crew := r.Group("Crew", "ben", "cleo")
		channel := r.Channel("ada", "Shared", "private")
		at := fmt.Sprintf("/ext/v1/channels/%d/collaborators", channel)
		r.Do("ben", "GET", at, nil).Want(404)
		r.Do("ada", "POST", at, map[string]any{"group_id": crew}).Want(201)
		for _, who := range []string{"ben", "cleo"} {
			r.Block(who, "By "+who, channel)
			r.Do(who, "POST", at, map[string]any{"user_id": r.Person("zoe").ID}).Want(403)
			r.Do(who, "DELETE", fmt.Sprintf("%s/Group/%d", at, crew), nil).Want(403)
		}
		// A collaborator both directly and through a group remains one when one of them ends.
		r.Collaborate("ada", channel, "cleo")
		r.Do("cleo", "DELETE", fmt.Sprintf("%s/User/%d", at, r.Person("cleo").ID), nil).Want(204)
		r.Get("cleo", "/v3/channels/%d", channel)
		r.Collaborate("ada", channel, "cleo")
		r.Do("ada", "DELETE", fmt.Sprintf("%s/Group/%d", at, crew), nil).Want(204)
		r.Get("cleo", "/v3/channels/%d", channel)
		r.Do("ben", "GET", fmt.Sprint("/v3/channels/", channel), nil).Want(404)
		r.Do("ben", "POST", "/v3/blocks", map[string]any{"value": "Late", "channel_ids": []int64{channel}}).Want(404)
	})
}

// TestOwnerIsNoCollaborator, whether a user or a group. A member of that group can be one.
func TestOwnerIsNoCollaborator(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		firm := r.Group("Firm", "ada", "ben")
		channel := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Firm's",
			"owner": map[string]any{"type": "Group", "id": firm}}).Want(201).Int("id")
		at := fmt.Sprintf("/ext/v1/channels/%d/collaborators", channel)
		r.Do("ben", "POST", at, map[string]any{"group_id": firm}).Want(422)
		r.Do("ben", "POST", at, map[string]any{"user_id": r.Person("ben").ID}).Want(201)
		if !r.Get("ben", "/v3/channels/%d", channel).Bool("can.destroy") {
			t.Error("a member who also collaborates lost what members may do")
		}
	})
}

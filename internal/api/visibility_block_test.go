package api_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// TestVisibilityOfBlock moves a block of Ben's through every transition. Ada owns the channels Shared (Ben collaborates)
// and Open, Ben owns Own.
func TestVisibilityOfBlock(t *testing.T) {
	t.Parallel()
	steps := []struct {
		do, visibility string
		seenBy         string // some of ada, ben, zoe and guest
	}{
		{"", "private", "ada ben"},
		{"ben connects to Open", "public", "ada ben zoe guest"},
		{"ben connects to Own", "public", "ada ben zoe guest"},
		{"ada removes from Open", "private", "ada ben"},
		{"ada makes Shared public", "public", "ada ben zoe guest"},
		{"ada makes Shared closed", "public", "ada ben zoe guest"},
		{"ada makes Shared closed", "public", "ada ben zoe guest"},
		{"ada makes Shared private", "private", "ada ben"},
		{"ben makes Own closed", "public", "ada ben zoe guest"},
		{"ada makes Shared public", "public", "ada ben zoe guest"},
		{"ben makes Own private", "public", "ada ben zoe guest"},
		{"ada makes Shared private", "private", "ada ben"},
		{"ben removes from Shared", "private", "ben"},
		{"ben removes from Own", "orphan", "ben"},
		{"ben connects to Shared", "private", "ada ben"},
		{"ada drops ben from Shared", "private", "ada ben"}, // still visible to its author
		{"ada connects to Open", "public", "ada ben zoe guest"},
		{"ada deletes Open", "private", "ada ben"},
		{"ada makes Shared closed", "public", "ada ben zoe guest"},
		{"ada deletes Shared", "orphan", "ben"},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := map[string]int64{"Shared": r.Channel("ada", "Shared", "private"),
			"Open": r.Channel("ada", "Open", "public"), "Own": r.Channel("ben", "Own", "private")}
		r.Collaborate("ada", channel["Shared"], "ben")
		block := r.Block("ben", "Wandering", channel["Shared"])
		for i, step := range steps {
			act(r, step.do, block, channel)
			if got := r.Get("ben", "/v3/blocks/%d", block).Str("visibility"); got != step.visibility {
				t.Errorf("step %d, %s: %s, want %s", i, step.do, got, step.visibility)
			}
			var seenBy []string
			for _, who := range []string{"ada", "ben", "zoe", "guest"} {
				if r.Do(strings.TrimPrefix(who, "guest"), "GET", fmt.Sprint("/v3/blocks/", block), nil).Status == 200 {
					seenBy = append(seenBy, who)
				}
			}
			if got := strings.Join(seenBy, " "); got != step.seenBy {
				t.Errorf("step %d, %s: seen by %s, want %s", i, step.do, got, step.seenBy)
			}
		}
	})
}

// act performs a sentence on a block and the channels with these names.
func act(r *apptest.Rig, sentence string, block int64, channel map[string]int64) {
	r.T.Helper()
	words := strings.Fields(sentence)
	if len(words) == 0 {
		return
	}
	who, verb, last := words[0], words[1], words[len(words)-1]
	res := &apptest.Response{T: r.T}
	switch verb {
	case "connects": // to
		r.Connect(who, "Block", block, channel[last])
		return
	case "removes": // from
		contents := r.Get(who, "/v3/channels/%d/contents", channel[last])
		for i, id := range contents.Ints("data", "id") {
			if id == block {
				res = r.Do(who, "DELETE", fmt.Sprint("/v3/connections/", contents.Int(fmt.Sprintf("data.%d.connection.id", i))), nil)
			}
		}
	case "makes":
		res = r.Do(who, "PUT", fmt.Sprint("/v3/channels/", channel[words[2]]), map[string]any{"visibility": last})
	case "drops": // a collaborator from
		res = r.Do(who, "DELETE", fmt.Sprintf("/ext/v1/channels/%d/collaborators/User/%d", channel[last], r.Person(words[2]).ID), nil)
	case "deletes":
		res = r.Do(who, "DELETE", fmt.Sprint("/v3/channels/", channel[last]), nil)
	}
	if res.Status/100 != 2 {
		r.T.Fatalf("%s: status %d: %s", sentence, res.Status, res.Body)
	}
}

// TestVisibilityOfOrphan: only its author may do anything with an orphan.
func TestVisibilityOfOrphan(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Channel", "public")
		block := r.Block("ben", "Alone", channel)
		act(r, "ben removes from Channel", block, map[string]int64{"Channel": channel})
		connect := fmt.Sprintf(`{"connectable_type":"Block","connectable_id":%d,"channel_ids":[%d]}`, block, channel)
		for as, want := range map[string]string{"": "[404 404 401 401]", "ada": "[404 404 404 404]",
			"ada/read": "[404 404 403 403]", "ben/read": "[200 200 403 403]", "ben": "[200 200 200 201]"} {
			got := []int{
				r.Do(as, "GET", fmt.Sprint("/v3/blocks/", block), nil).Status,
				r.Do(as, "GET", fmt.Sprintf("/v3/blocks/%d/connections", block), nil).Status,
				r.Do(as, "PUT", fmt.Sprint("/v3/blocks/", block), `{"title":"New"}`).Status,
				r.Do(as, "POST", "/v3/connections", connect).Status,
			}
			if fmt.Sprint(got) != want {
				t.Errorf("as %q: %v, want %s", as, got, want)
			}
			if as == "ben" {
				act(r, "ben removes from Channel", block, map[string]int64{"Channel": channel})
			}
		}
	})
}

package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// pagedLists creates three lists of 25: the contents of a channel, the channels of a block, and those of a channel.
func pagedLists(r *apptest.Rig) []string {
	r.T.Helper()
	hub := r.Channel("ada", "Hub", "closed")
	block := r.Block("ada", "Everywhere", r.Channel("ada", "Elsewhere", "private"))
	for i := range 25 {
		spoke := r.Channel("ada", fmt.Sprint("Spoke ", i), "public")
		if i > 0 {
			r.Connect("ada", "Channel", spoke, hub)
		} else {
			r.Block("ada", "First", hub)
		}
		r.Connect("ada", "Channel", hub, spoke)
		r.Connect("ada", "Block", block, spoke)
	}
	return []string{fmt.Sprintf("/v3/channels/%d/contents", hub), fmt.Sprintf("/v3/channels/%d/connections", hub),
		fmt.Sprintf("/v3/blocks/%d/connections", block), fmt.Sprintf("/v3/channels/%d/contents?sort=updated_at_asc", hub),
		fmt.Sprintf("/v3/channels/%d/contents?user_id=%d", hub, r.Person("ada").ID)}
}

// TestPaging: next_page and prev_page lead through every list, with different page sizes.
func TestPaging(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, list := range pagedLists(r) {
			if !strings.Contains(list, "?") {
				list += "?"
			}
			all := r.Get("", "%s&per=100", list).Ints("data", "id")
			if len(all) != 25 {
				t.Fatalf("%s: %d of 25", list, len(all))
			}
			for per, pages := range map[int]int{3: 9, 24: 2, 25: 1, 26: 1} {
				for page := 1; page <= pages; page++ {
					res := r.Get("", "%s&per=%d&page=%d", list, per, page)
					first, end := (page-1)*per, min(page*per, len(all))
					if got := res.Ints("data", "id"); !slices.Equal(got, all[first:end]) {
						t.Errorf("%s, page %d by %d: %v, want %v", list, page, per, got, all[first:end])
					}
					want := map[string]any{"current_page": page, "per_page": per, "total_pages": pages, "total_count": 25,
						"has_more_pages": page < pages, "next_page": page + 1, "prev_page": page - 1}
					if page == pages {
						want["next_page"] = nil
					}
					if page == 1 {
						want["prev_page"] = nil
					}
					if got := res.Get("meta"); fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("%s, page %d by %d: %v, want %v", list, page, per, got, want)
					}
				}
			}
		}
	})
}

// TestPagingAtItsEdges: the defaults, and pages beyond the end.
func TestPagingAtItsEdges(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		lists := pagedLists(r)
		empty := r.Channel("ada", "Empty", "closed")
		for _, below := range []string{"contents", "connections"} {
			res := r.Get("", "/v3/channels/%d/%s", empty, below)
			if got := string(res.Body); !strings.Contains(got, `"data":[]`) || fmt.Sprint(res.Get("meta")) !=
				"map[current_page:1 has_more_pages:false next_page:<nil> per_page:24 prev_page:<nil> total_count:0 total_pages:0]" {
				t.Errorf("an empty list is %s", got)
			}
		}
		for _, list := range lists {
			sep := "?"
			if strings.Contains(list, "?") {
				sep = "&"
			}
			if res := r.Get("", "%s", list); res.Len("data") != 24 || res.Int("meta.per_page") != 24 || res.Int("meta.next_page") != 2 {
				t.Errorf("%s: by default %v", list, res.Get("meta"))
			}
			for _, far := range []string{"3", "1000000", "9223372036854775807"} {
				res := r.Get("", "%s%spage=%s", list, sep, far)
				if res.Len("data") != 0 || res.Get("meta.next_page") != nil || res.Bool("meta.has_more_pages") ||
					res.Int("meta.total_count") != 25 || fmt.Sprint(res.Get("meta.current_page")) != far {
					t.Errorf("%s, page %s: %s", list, far, res.Body)
				}
			}
			for _, bad := range []string{"per=0", "per=101", "per=-1", "per=x", "page=0", "page=-1", "page=x", "page=9223372036854775808"} {
				field, _, _ := strings.Cut(bad, "=")
				if res := r.Do("", "GET", list+sep+bad, nil); res.Status != 400 || !strings.HasPrefix(res.Str("details.message"), field+": ") {
					t.Errorf("%s: %d %s", bad, res.Status, res.Body)
				}
			}
		}
	})
}

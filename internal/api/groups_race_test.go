package api_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// together runs fn n times concurrently.
func together(n int, fn func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { fn(i) })
	}
	wg.Wait()
}

func TestGroupsRaceAccept(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Group("Society", "ada")
		address := "post@example.org"
		_, token := mailed(t, r, id, "", &address)
		names := []string{"ben", "cyd", "dan", "eve"}
		for _, name := range names {
			r.Person(name)
		}
		var accepted atomic.Int64
		together(8, func(i int) {
			_, err := r.S.App.People.AcceptInvitation(t.Context(), writer(r, names[i%len(names)]), token)
			if err == nil {
				accepted.Add(1)
			} else if domain.KindOf(err) != domain.NotFound {
				t.Error(err)
			}
		})
		if n := r.Do("", "GET", fmt.Sprint("/v3/groups/", id), nil).Want(200).Int("counts.users"); accepted.Load() != 1 || n != 2 {
			t.Errorf("accepted %d times, %d users", accepted.Load(), n)
		}
	})
}

func TestGroupsRaceInvite(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := fmt.Sprint("/v3/groups/", r.Group("Society", "ada", "max"))
		eve := asUser(r, "eve")
		var codes sync.Map
		var created, invited atomic.Int64
		together(8, func(i int) {
			as := []string{"ada", "max"}[i%2]
			res := r.Do(as, "POST", group+"/invite", nil)
			codes.Store(res.Str("code"), true)
			if res.Status == 201 {
				created.Add(1)
			}
			if r.Do(as, "POST", group+"/invitations", []string{eve, asAddress("eve")}[i/2%2]).Status == 201 {
				invited.Add(1)
			}
		})
		n := 0
		codes.Range(func(any, any) bool { n++; return true })
		if n != 1 || created.Load() != 1 || invited.Load() != 1 {
			t.Errorf("%d codes, %d invites made, %d invitations made", n, created.Load(), invited.Load())
		}
	})
}

// After everybody has done everything concurrently, the counts agree with the lists, and both with the check at the end
// of each test.
func TestGroupsRaceAll(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		names := []string{"ben", "cyd", "dan", "eve", "fay", "gus"}
		var groups []string
		var code string
		for i := range 3 {
			groups = append(groups, fmt.Sprint("/v3/groups/", r.Group(fmt.Sprint("Society ", i), "ada", "max")))
		}
		code = r.Do("ada", "POST", groups[0]+"/invite", nil).Want(201).Str("code")
		for _, name := range names {
			r.Person(name)
		}
		channel := r.Channel("ada", "Helped", "private")
		together(8, func(i int) {
			random := rand.New(rand.NewPCG(7, uint64(i)))
			for range 12 {
				name := names[random.IntN(len(names))]
				id := groups[0][len("/v3/groups/"):]
				var res *apptest.Response
				switch random.IntN(9) {
				case 0, 1:
					res = r.Do(name, "POST", groups[0]+"/members", fmt.Sprintf(`{"invite_token":%q}`, code))
				case 2:
					res = r.Do(name, "DELETE", groups[0]+"/members/me", nil)
				case 3:
					res = r.Do("ada", "DELETE", fmt.Sprint(groups[0], "/members/", r.Person(name).ID), nil)
				case 4:
					res = r.Do("max", "POST", groups[0]+"/invitations", []string{asUser(r, name), asAddress(name)}[random.IntN(2)])
				case 5:
					res = r.Do(name, "POST", "/v3/channels", fmt.Sprintf(`{"title":"T","visibility":%q,"owner":{"id":%s,"type":"Group"}}`,
						[]string{"closed", "private"}[random.IntN(2)], id))
				case 6:
					res = r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), fmt.Sprintf(`{"owner":{"id":%s,"type":"Group"}}`, id))
				case 7:
					res = r.Do("ada", "PUT", groups[0], fmt.Sprintf(`{"name":"Name %d"}`, random.IntN(4)))
				case 8: // groups are deleted while they get channels and followers, and collaborate
					g := groups[1+random.IntN(2)][len("/v3/groups/"):]
					r.Do(name, "PUT", "/ext/v1/groups/"+g+"/follow", nil)
					r.Do("max", "POST", "/v3/channels", fmt.Sprintf(`{"title":"T","owner":{"id":%s,"type":"Group"}}`, g))
					r.Do("ada", "POST", fmt.Sprint("/ext/v1/channels/", channel, "/collaborators"), fmt.Sprintf(`{"group_id":%s}`, g))
					res = r.Do([]string{"max", "ada"}[random.IntN(2)], "DELETE", "/v3/groups/"+g, nil)
				}
				if res.Status >= 500 || res.Status == 400 {
					t.Errorf("%d %s", res.Status, res.Body)
				}
			}
		})
		members := r.Do("", "GET", groups[0]+"/members?per=100", nil).Want(200)
		if n := r.Do("", "GET", groups[0], nil).Want(200).Int("counts.users"); n != int64(members.Len("data")) || n != members.Int("meta.total_count") {
			t.Errorf("%d users, %d members, %d in all", n, members.Len("data"), members.Int("meta.total_count"))
		}
	})
}

// A deleted group leaves no trace of things that were added to it at the same moment.
func TestGroupsRaceDelete(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		names := []string{"ben", "cyd", "dan", "eve"}
		for _, name := range names {
			r.Person(name)
		}
		channel := r.Channel("max", "Helped", "private")
		for round := range 4 {
			id := r.Group(fmt.Sprint("Society ", round), "ada", "max")
			group := fmt.Sprint("/v3/groups/", id)
			code := r.Do("ada", "POST", group+"/invite", nil).Want(201).Str("code")
			requests := []func() *apptest.Response{
				func() *apptest.Response { return r.Do("ada", "DELETE", group, nil) },
				func() *apptest.Response { return r.Do("ben", "PUT", fmt.Sprint("/ext/v1/groups/", id, "/follow"), nil) },
				func() *apptest.Response {
					return r.Do("max", "POST", "/v3/channels", fmt.Sprintf(`{"title":"T","owner":{"id":%d,"type":"Group"}}`, id))
				},
				func() *apptest.Response {
					return r.Do("max", "POST", fmt.Sprint("/ext/v1/channels/", channel, "/collaborators"), fmt.Sprintf(`{"group_id":%d}`, id))
				},
				func() *apptest.Response {
					return r.Do("cyd", "POST", group+"/members", fmt.Sprintf(`{"invite_token":%q}`, code))
				},
				func() *apptest.Response { return r.Do("max", "POST", group+"/invitations", asUser(r, "dan")) },
				func() *apptest.Response { return r.Do("ada", "PUT", group, `{"name":"Club"}`) },
			}
			together(len(requests), func(i int) {
				if res := requests[i](); res.Status >= 500 || res.Status == 400 {
					t.Errorf("%d %s", res.Status, res.Body)
				}
			})
			r.Do("ada", "GET", group, nil).Want(404)
		}
		if n := r.Do("", "GET", "/v3/users/ben", nil).Want(200).Int("counts.following"); n != 0 {
			t.Errorf("ben follows %d", n)
		}
		if n := r.Do("max", "GET", fmt.Sprint("/v3/channels/", channel), nil).Want(200).Int("counts.collaborators"); n != 0 {
			t.Errorf("%d collaborators", n)
		}
	})
}

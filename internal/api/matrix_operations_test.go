package api_test

import (
	"fmt"

	"vitrine/internal/apptest"
)

// operations are the rows of the matrix, each a request on a stage.
var operations = map[string]func(m *matrix, s *stage, as string) *apptest.Response{
	"getChannel": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "GET", fmt.Sprint("/v3/channels/", s.channel), nil)
	},
	"updateChannel title": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.update(s, as, map[string]any{"title": "Another title"})
	},
	"updateChannel visibility": func(m *matrix, s *stage, as string) *apptest.Response {
		now := m.Get(s.keeper, "/v3/channels/%d", s.channel).Str("visibility")
		return m.update(s, as, map[string]any{"visibility": map[string]string{
			"public": "private", "closed": "public", "private": "closed"}[now]})
	},
	"updateChannel owner": func(m *matrix, s *stage, as string) *apptest.Response {
		id := max(m.circle[person(as)], 1)
		return m.update(s, as, map[string]any{"owner": map[string]any{"type": "Group", "id": id}})
	},
	"deleteChannel": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "DELETE", fmt.Sprint("/v3/channels/", s.channel), nil)
	},
	"getChannelContents": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "GET", fmt.Sprintf("/v3/channels/%d/contents", s.channel), nil)
	},
	"getChannelConnections": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "GET", fmt.Sprintf("/v3/channels/%d/connections", s.channel), nil)
	},
	"createBlock": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "POST", "/v3/blocks", map[string]any{"value": "New", "channel_ids": []int64{s.channel}})
	},
	"getBlock": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "GET", fmt.Sprint("/v3/blocks/", s.block), nil)
	},
	"updateBlock": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "PUT", fmt.Sprint("/v3/blocks/", s.block), map[string]any{"content": "Changed"})
	},
	"getBlockConnections": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "GET", fmt.Sprintf("/v3/blocks/%d/connections", s.block), nil)
	},
	"connect a block here": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.connect(as, "Block", m.spare, s.channel)
	},
	"connect a channel here": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.connect(as, "Channel", m.open, s.channel)
	},
	"connect its block elsewhere": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.connect(as, "Block", s.block, m.shelf[person(as)])
	},
	"connect it elsewhere": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.connect(as, "Channel", s.channel, m.shelf[person(as)])
	},
	"getConnection": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "GET", fmt.Sprint("/v3/connections/", s.made), nil)
	},
	"updateConnection": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "PUT", fmt.Sprint("/v3/connections/", s.made), `{"metadata":{"shelf":"top"}}`)
	},
	"moveConnection": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "POST", fmt.Sprintf("/v3/connections/%d/move", s.made), `{"movement":"move_to_top"}`)
	},
	"deleteConnection by author": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "DELETE", fmt.Sprint("/v3/connections/", s.made), nil)
	},
	"deleteConnection by owner": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "DELETE", fmt.Sprint("/v3/connections/", s.kept), nil)
	},
	"getCollaborators": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "GET", s.path("collaborators"), nil)
	},
	"addCollaborator": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "POST", s.path("collaborators"), map[string]any{"user_id": m.Person("bystander").ID})
	},
	"removeCollaborator crew": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "DELETE", s.path("collaborators/Group/%d", m.crew), nil)
	},
	"removeCollaborator oneself": func(m *matrix, s *stage, as string) *apptest.Response {
		return m.Do(as, "DELETE", s.path("collaborators/User/%d", max(m.Person(person(as)).ID, 1)), nil)
	},
}

func (m *matrix) update(s *stage, as string, body any) *apptest.Response {
	m.T.Helper()
	return m.Do(as, "PUT", fmt.Sprint("/v3/channels/", s.channel), body)
}

func (m *matrix) connect(as, kind string, item, channel int64) *apptest.Response {
	m.T.Helper()
	return m.Do(as, "POST", "/v3/connections", map[string]any{
		"connectable_id": item, "connectable_type": kind, "channel_ids": []int64{channel}})
}

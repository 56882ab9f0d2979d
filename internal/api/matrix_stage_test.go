package api_test

import (
	"fmt"
	"strings"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// actors are the columns of the matrix. "crew" is a member of a group that collaborates on the channel, "partner" of the
// group that owns it: for the partner the stage is a channel of that group, for all others one of the owner's own. The
// author wrote a block, and connected it as a collaborator.
var actors = []string{"", "stranger", "stranger/read", "owner/read", "author", "owner", "collaborator", "crew", "partner"}

// matrix contains what all stages of one server share.
type matrix struct {
	*apptest.Rig
	crew, firm domain.GroupID
	circle     map[string]domain.GroupID // a group of each actor
	shelf      map[string]int64          // a channel of each actor
	open       int64                     // a channel visible to everyone
	loose      int64                     // a block visible to everyone
	spare      int64                     // another one, in no stage
	serial     int
}

// stage is a channel to act on.
type stage struct {
	keeper  string // an owner who is not among the actors, or "owner"
	channel int64
	block   int64 // in the channel, by the author
	made    int64 // the connection of that block, by the author
	kept    int64 // the connection of another block, by the keeper
}

func newMatrix(r *apptest.Rig) *matrix {
	m := &matrix{Rig: r, circle: map[string]domain.GroupID{}, shelf: map[string]int64{}}
	for _, as := range actors {
		name := person(as)
		if _, done := m.shelf[name]; !done && name != "" {
			m.shelf[name] = r.Channel(name, "Shelf of "+name, "closed")
			m.circle[name] = r.Group("Circle of "+name, name)
		}
	}
	m.crew = r.Group("Crew", "captain", "crew")
	m.firm = r.Group("Firm", "founder", "partner")
	m.open = r.Channel("bystander", "Open", "closed")
	m.loose = r.Block("bystander", "Loose", m.open)
	m.spare = r.Block("bystander", "Spare", m.open)
	return m
}

// person returns the name without a scope.
func person(as string) string {
	name, _, _ := strings.Cut(as, "/")
	return name
}

// stage creates a channel for the actor to act on.
func (m *matrix) stage(as, visibility string) *stage {
	m.T.Helper()
	s := &stage{keeper: "owner"}
	m.serial++
	channel := map[string]any{"title": fmt.Sprint("Stage ", m.serial), "visibility": visibility}
	if as == "partner" {
		s.keeper = "founder"
		channel["owner"] = map[string]any{"type": "Group", "id": m.firm}
	}
	s.channel = m.Do(s.keeper, "POST", "/v3/channels", channel).Want(201).Int("id")
	m.Collaborate(s.keeper, s.channel, "collaborator")
	m.Collaborate(s.keeper, s.channel, "author")
	m.Do(s.keeper, "POST", s.path("collaborators"), map[string]any{"group_id": m.crew}).Want(201)
	s.block = m.Block("author", "By the author", s.channel)
	s.made = m.Connect("author", "Block", s.block, s.channel)
	s.kept = m.Connect(s.keeper, "Block", m.loose, s.channel)
	m.Do(s.keeper, "DELETE", s.path("collaborators/User/%d", m.Person("author").ID), nil).Want(204)
	return s
}

// path returns a path of the extensions below the channel.
func (s *stage) path(below string, args ...any) string {
	return fmt.Sprintf("/ext/v1/channels/%d/", s.channel) + fmt.Sprintf(below, args...)
}

// state returns everything that the keeper sees of the stage.
func (m *matrix) state(s *stage) string {
	m.T.Helper()
	channel := m.Get(s.keeper, "/v3/channels/%d", s.channel)
	contents := m.Get(s.keeper, "/v3/channels/%d/contents", s.channel)
	block := m.Get(s.keeper, "/v3/blocks/%d", s.block)
	return string(channel.Body) + string(contents.Body) + string(block.Body)
}

// everyone calls f for every actor and visibility.
func everyone(f func(as, visibility string)) {
	for _, visibility := range []string{"public", "closed", "private"} {
		for _, as := range actors {
			f(as, visibility)
		}
	}
}

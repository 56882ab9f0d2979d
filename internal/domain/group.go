package domain

import (
	"strings"
	"time"
)

// Group is people who own channels together.
type Group struct {
	ID              GroupID
	Slug            string
	Name            string
	Description     *Text
	Avatar          *string
	Owner           Principal
	OpenChannels    int64 // live channels owned, public and closed
	PrivateChannels int64
	Users           int64 // members, the owner included
	Version         int64
	FaceVersion     int64
	CreatedAt       time.Time
	UpdatedAt       time.Time

	// Member reports whether the viewer for whom the group was read belongs to it.
	Member bool
}

// Principal is what is shown of the group inside other resources.
func (g Group) Principal() Principal {
	return Principal{PrincipalRef: GroupRef(g.ID), Name: g.Name, Slug: g.Slug, Avatar: g.Avatar, Version: g.FaceVersion}
}

// Channels counts the group's channels as the viewer may know of them: private ones
// count for members alone.
func (g Group) Channels() int64 {
	if g.Member {
		return g.OpenChannels + g.PrivateChannels
	}
	return g.OpenChannels
}

// Member is a user in a group.
type Member struct {
	Principal
	Owner bool
}

// GroupAbilities is the `can` of a group.
type GroupAbilities struct{ Update, Destroy, ManageMembers, ManageInvitations bool }

// CanOwnGroup reports whether the actor may change and destroy the group and remove
// members: its owner.
func CanOwnGroup(a Actor, g Group) bool {
	return a.MayWrite() && g.Owner.PrincipalRef == UserRef(a.UserID)
}

// CanInvite reports whether the actor may change the group's invitations and its
// invite: every member.
func CanInvite(a Actor, g Group) bool { return a.MayWrite() && g.Member }

// CanSeeInvitations reports whether the actor may read them.
func CanSeeInvitations(a Actor, g Group) bool { return a.SignedIn() && g.Member }

// AbilitiesOnGroup is what the actor's next request would be allowed.
func AbilitiesOnGroup(a Actor, g Group) GroupAbilities {
	owner := CanOwnGroup(a, g)
	return GroupAbilities{Update: owner, Destroy: owner, ManageMembers: owner, ManageInvitations: CanInvite(a, g)}
}

// NameKey is what things are ordered by when they are ordered by name: how it reads
// in plain letters, then the name itself without regard to case. It orders byte by byte.
func NameKey(name string) string { return Slugify(name) + " " + strings.ToLower(name) }

// GroupSort is an order of groups.
type GroupSort struct {
	Key  GroupKey
	Desc bool
}

// GroupKey is what groups are ordered by.
type GroupKey int

// The keys of groups.
const (
	GroupsByName GroupKey = iota
	GroupsByCreated
	GroupsByUpdated
)

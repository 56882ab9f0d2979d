package domain

import "time"

// Visibility of a channel (behaviour.md section 2).
type Visibility string

// The visibilities of channels. The default is closed.
const (
	Public  Visibility = "public"
	Closed  Visibility = "closed"
	Private Visibility = "private"
)

// Role is how a viewer stands to a channel. Higher includes lower.
type Role int

// The roles. Every member of a group that owns a channel is its owner; a group
// that collaborates counts for all its members.
const (
	RoleNone Role = iota
	RoleCollaborator
	RoleOwner
)

// Channel is an ordered collection.
type Channel struct {
	ID            ChannelID
	Slug          string
	Title         string
	Description   *Text
	Visibility    Visibility
	Owner         Principal
	UserID        UserID // who made it
	Metadata      Metadata
	Blocks        int64
	Channels      int64
	PrivateItems  int64 // of Channels, the private ones
	Collaborators int64
	Version       int64
	CreatedAt     time.Time
	UpdatedAt     time.Time

	// Role is that of the viewer for whom the channel was read.
	Role Role
}

// Contents is how many connections the channel has.
func (c Channel) Contents() int64 { return c.Blocks + c.Channels }

// ChannelAbilities is the `can` of a channel.
type ChannelAbilities struct{ AddTo, Update, Destroy, ManageCollaborators bool }

// CanView reports whether a viewer with this role sees a channel.
func CanView(v Visibility, role Role) bool { return v != Private || role > RoleNone }

// CanAddTo reports whether the actor may connect items to the channel.
func CanAddTo(a Actor, c Channel) bool {
	return a.MayWrite() && (c.Visibility == Public || c.Role >= RoleCollaborator)
}

// CanUpdate reports whether the actor may change title, description and metadata.
func CanUpdate(a Actor, c Channel) bool { return a.MayWrite() && c.Role >= RoleCollaborator }

// CanOwn reports whether the actor may do what is the owner's alone: destroy the
// channel, change its visibility and owner, manage its collaborators.
func CanOwn(a Actor, c Channel) bool { return a.MayWrite() && c.Role == RoleOwner }

// CanArrange reports whether the actor may move connections and set their metadata.
func CanArrange(a Actor, c Channel) bool { return a.MayWrite() && c.Role >= RoleCollaborator }

// AbilitiesOnChannel is what the actor's next request would be allowed.
func AbilitiesOnChannel(a Actor, c Channel) ChannelAbilities {
	return ChannelAbilities{
		AddTo:               CanAddTo(a, c),
		Update:              CanUpdate(a, c),
		Destroy:             CanOwn(a, c),
		ManageCollaborators: CanOwn(a, c),
	}
}

package domain

import "time"

// Visibility is the visibility of a channel (behaviour.md section 2).
type Visibility string

// The visibilities of channels. The default is closed.
const (
	Public  Visibility = "public"
	Closed  Visibility = "closed"
	Private Visibility = "private"
)

// Role is a viewer's role in a channel. Higher roles include lower ones.
type Role int

// The roles. All members of a group that owns a channel are owners, and all members of a
// collaborating group are collaborators.
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
	UserID        UserID // creator
	Metadata      Metadata
	Blocks        int64
	Channels      int64
	PrivateItems  int64 // private ones among Channels
	Collaborators int64
	Version       int64
	CreatedAt     time.Time
	UpdatedAt     time.Time

	// Role is the role of the viewer that the channel was read for.
	Role Role
}

// Contents returns the number of connections.
func (c Channel) Contents() int64 { return c.Blocks + c.Channels }

// ChannelAbilities is the `can` field of a channel.
type ChannelAbilities struct{ AddTo, Update, Destroy, ManageCollaborators bool }

// CanView reports whether a viewer with the role can see a channel.
func CanView(v Visibility, role Role) bool { return v != Private || role > RoleNone }

// CanAddTo reports whether the actor may connect items to the channel.
func CanAddTo(a Actor, c Channel) bool {
	return a.MayWrite() && (c.Visibility == Public || c.Role >= RoleCollaborator)
}

// CanUpdate reports whether the actor may change the title, description and metadata.
func CanUpdate(a Actor, c Channel) bool { return a.MayWrite() && c.Role >= RoleCollaborator }

// CanOwn reports whether the actor may do what only the owner may: delete the channel, change its
// visibility or owner, and manage its collaborators.
func CanOwn(a Actor, c Channel) bool { return a.MayWrite() && c.Role == RoleOwner }

// CanArrange reports whether the actor may move connections and set their metadata.
func CanArrange(a Actor, c Channel) bool { return a.MayWrite() && c.Role >= RoleCollaborator }

// AbilitiesOnChannel returns what the actor may do with the channel.
func AbilitiesOnChannel(a Actor, c Channel) ChannelAbilities {
	return ChannelAbilities{
		AddTo:               CanAddTo(a, c),
		Update:              CanUpdate(a, c),
		Destroy:             CanOwn(a, c),
		ManageCollaborators: CanOwn(a, c),
	}
}

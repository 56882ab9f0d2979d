package domain

import "cmp"

// News is an activity with the users to notify of it. It contains each user once, and never the
// actor.
type News struct {
	Activity
	Notify []UserID
}

// Sources returns the subjects whose followers have the activity in their feeds: its actor, its
// channel and the group (behaviour.md section 7).
func (a Activity) Sources() []Subject {
	sources := []Subject{{SubjectUser, int64(a.Actor)}}
	if a.Channel != 0 {
		sources = append(sources, Subject{SubjectChannel, int64(a.Channel)})
	}
	if a.Group != 0 {
		sources = append(sources, Subject{SubjectGroup, int64(a.Group)})
	}
	return sources
}

// Compare orders subjects by type and ID, which is the order of locking.
func (s Subject) Compare(other Subject) int {
	return cmp.Or(cmp.Compare(s.Type, other.Type), cmp.Compare(s.ID, other.ID))
}

// Window is a range of a list of activities: those with an ID between After and Before, exclusive,
// newest first, or oldest first if Rising.
type Window struct {
	After, Before ActivityID
	Rising        bool
	Limit         int
}

// From returns the remaining window after the activity with the ID.
func (w Window) From(id ActivityID) Window {
	if w.Rising {
		w.After = id
	} else {
		w.Before = id
	}
	return w
}

// Receipt is a notification and whether the user has read it.
type Receipt struct {
	ID   ActivityID
	Read bool
}

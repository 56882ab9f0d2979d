package domain

import "cmp"

// News is an activity together with those who are notified of it. The actor is never
// notified, and nobody twice.
type News struct {
	Activity
	Notify []UserID
}

// Sources are what one follows to have the activity in one's feed: its actor, its
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

// Compare orders subjects by type and id: the order in which they are locked.
func (s Subject) Compare(other Subject) int {
	return cmp.Or(cmp.Compare(s.Type, other.Type), cmp.Compare(s.ID, other.ID))
}

// Window is a stretch of a list of activities: those with an id between After and
// Before, neither included, newest first, or oldest first when Rising.
type Window struct {
	After, Before ActivityID
	Rising        bool
	Limit         int
}

// From is the window that is left after the activity with the given id.
func (w Window) From(id ActivityID) Window {
	if w.Rising {
		w.After = id
	} else {
		w.Before = id
	}
	return w
}

// Receipt is a notification: an activity, and whether the user has read of it.
type Receipt struct {
	ID   ActivityID
	Read bool
}

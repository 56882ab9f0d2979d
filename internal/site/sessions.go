package site

import (
	"vitrine/internal/domain"
)

// sessionView is a session with whether it is the one that looks.
type sessionView struct {
	domain.Session
	This bool
}

// sessionsPage lists the browsers that are signed in.
func sessionsPage(v *visit) error {
	all, err := v.app().Sessions(v.r.Context(), v.actor())
	if err != nil {
		return err
	}
	shown := make([]sessionView, len(all))
	for i, s := range all {
		shown[i] = sessionView{s, s.ID == v.session.ID}
	}
	return v.page("sessions", "Sessions", nil, shown)
}

// endSession ends one session, or all but this one.
func endSession(v *visit) error {
	which := v.form().get("end")
	if which == "others" {
		if err := v.app().EndOtherSessions(v.r.Context(), v.actor(), v.session.ID); err != nil {
			return err
		}
		return v.done("/settings/sessions", "sessions")
	}
	id, err := idOf(which)
	if err != nil {
		return err
	}
	if err := v.app().EndSession(v.r.Context(), v.actor(), domain.SessionID(id)); err != nil {
		return err
	}
	return v.done("/settings/sessions", "session")
}

// idOf reads the id of a thing; what is none is NotFound.
func idOf(s string) (int64, error) {
	id, _, ok := domain.IsID(s)
	if !ok {
		return 0, domain.NewNotFound()
	}
	return id, nil
}

package account

import (
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// sessionView is a session, whether it is the current one, and how it was started.
type sessionView struct {
	domain.Session
	This    bool
	Browser string
}

// sessionsPage lists the account's sessions.
func sessionsPage(v *web.Visit) error {
	all, err := v.App().Accounts.Sessions(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	shown := make([]sessionView, len(all))
	for i, s := range all {
		shown[i] = sessionView{s, s.ID == v.Session.ID, browser(v, s.Agent)}
	}
	return v.Page("sessions", v.T("account.title.sessions"), nil, shown)
}

// endSession ends one session, or all but the current one.
func endSession(v *web.Visit) error {
	which := v.Form().Get("end")
	if which == "others" {
		if err := v.App().Accounts.EndOtherSessions(v.R.Context(), v.Actor(), v.Session.ID); err != nil {
			return err
		}
		return v.Done("/settings/sessions", "sessions")
	}
	id, err := web.ID(which)
	if err != nil {
		return err
	}
	if err := v.App().Accounts.EndSession(v.R.Context(), v.Actor(), domain.SessionID(id)); err != nil {
		return err
	}
	return v.Done("/settings/sessions", "session")
}

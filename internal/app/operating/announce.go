package operating

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// AnnouncementInput is an announcement on every page.
type AnnouncementInput struct {
	Text     string          // Markdown
	Severity domain.Severity // "" for the default
	Until    *time.Time      // when it disappears; nil: when an operator removes it

	// Seen is the version of the site on which the change is based; 0 means any. If the site has changed since, the change
	// is a Conflict.
	Seen int64
}

// Validate checks the text and the severity.
func (in AnnouncementInput) Validate() error {
	var f domain.Faults
	f.RequiredText("announcement", in.Text, domain.MaxAnnouncement)
	if in.Severity != "" {
		domain.Among(&f, "severity", in.Severity, domain.Severities...)
	}
	return f.Err()
}

// Announce shows an announcement on every page, also while the site is read-only. One with a new text or severity is a new
// one, which is shown again to those who dismissed the previous one.
func (a *Operating) Announce(ctx context.Context, o Operator, in AnnouncementInput) (s domain.Site, err error) {
	if err := in.Validate(); err != nil {
		return s, err
	}
	if err := a.notPast(in.Until); err != nil {
		return s, err
	}
	if in.Severity == "" {
		in.Severity = domain.Severities[0]
	}
	said := core.Rendered(&in.Text)
	return a.announce(ctx, o, in.Seen, domain.ActAnnounced, func(s *domain.Site) {
		if s.Announcement == nil || s.Announcement.Markdown != said.Markdown || s.Severity != in.Severity {
			s.Announced++
		}
		s.Announcement, s.Severity, s.AnnouncedUntil = said, in.Severity, in.Until
	})
}

// EndAnnouncement removes the announcement. Without one it changes nothing.
func (a *Operating) EndAnnouncement(ctx context.Context, o Operator, seen int64) (domain.Site, error) {
	return a.announce(ctx, o, seen, domain.ActAnnouncementEnded, func(s *domain.Site) {
		s.Announcement, s.Severity, s.AnnouncedUntil = nil, domain.Severities[0], nil
	})
}

// errNothingAnnounced rolls back the lock of the site, which counts as a version.
var errNothingAnnounced = errors.New("there is no announcement")

func (a *Operating) announce(ctx context.Context, o Operator, seen int64, act domain.Act, change func(s *domain.Site)) (s domain.Site, err error) {
	defer a.forgetSite()
	err = a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		if err := tx.Account().LockSite(ctx, a.Now()); err != nil {
			return err
		}
		if err := o.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		was, err := lockedSite(ctx, tx, seen)
		if s = was; err != nil {
			return err
		}
		if act == domain.ActAnnouncementEnded && was.Announcement == nil {
			s.Version--
			return errNothingAnnounced
		}
		change(&s)
		if err := tx.UpdateSite(ctx, was, s); err != nil {
			return err
		}
		return a.Audit(ctx, tx, o.Actor(), act, domain.AuditTarget{}, nil)
	})
	if errors.Is(err, errNothingAnnounced) {
		err = nil
	}
	return s, err
}

// notPast refuses an end that has passed.
func (a *Operating) notPast(until *time.Time) error {
	if until != nil && !until.After(a.Now()) {
		return domain.InvalidField("until", domain.FieldOutOfRange, "must be in the future")
	}
	return nil
}

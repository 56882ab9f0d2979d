package people

import (
	"context"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// Limits of invitations that are mailed. They stay when an invitation is revoked.
var (
	invitesByUser   = []core.Limit{{Most: 30, Window: time.Hour}, {Most: 100, Window: core.Day}}
	invitesToGroup  = []core.Limit{{Most: 100, Window: core.Day}}
	invitesOfPerson = []core.Limit{{Most: 3, Window: core.Day}} // of the same person by the same user, to whichever groups
	mailsToPerson   = []core.Limit{{Most: 3, Window: core.Day}} // whoever invites them
)

// countInvitation counts an invitation that a user makes to a group, and is TooMany over
// a limit. It tells the user of their own doings and of their group's alone: that others
// have invited the same person too is nobody's business, and holds back the mail instead
// (holdBack).
func countInvitation(ctx context.Context, tx *store.Tx, by domain.UserID, group domain.GroupID, in InviteInput, now time.Time) error {
	user := strconv.FormatInt(int64(by), 10)
	as := "user " + strconv.FormatInt(int64(in.User), 10) // as they were named: the two must not tell of each other
	if in.User == 0 {
		as = mailbox(in.Email)
	}
	var all core.Tried
	for _, c := range []struct {
		limits []core.Limit
		why    string
		parts  []string
	}{
		{invitesByUser, "You have sent as many invitations as you may for now: try again later", []string{"user", user}},
		{invitesToGroup, "This group has sent as many invitations as it may in a day: try again later", []string{"group", strconv.FormatInt(int64(group), 10)}},
		{invitesOfPerson, "You have invited this person as often as you may in a day: try again later", []string{"pair", user, as}},
	} {
		for _, counted := range core.Counters(c.limits, true, append([]string{"invitation"}, c.parts...)...) {
			counted.Why = c.why
			all = append(all, counted)
		}
	}
	over, err := core.CountIn(ctx, tx, all, now)
	if err != nil {
		return err
	}
	return over
}

// holdBack counts a mail with an invitation to an address. Over the limit it is an error
// that has the job run again when the next may go; meanwhile the invitation may be
// revoked, or run out.
func (a *People) holdBack(ctx context.Context, tx *store.Tx, email string, now time.Time) error {
	over, err := core.CountIn(ctx, tx, mailsTo(email), now)
	if err != nil {
		return err
	}
	if known, ok := over.(*domain.Error); ok {
		return jobs.Later(max(known.Wait, time.Second))
	}
	return nil
}

// mailsTo counts mails with invitations to an address.
func mailsTo(email string) core.Tried {
	return core.Counters(mailsToPerson, true, "invitation mail", mailbox(email))
}

// mailbox is whom an address reaches: what follows a "+" is mostly their own label.
func mailbox(email string) string {
	local, host, _ := strings.Cut(strings.ToLower(email), "@")
	if name, _, labelled := strings.Cut(local, "+"); labelled && name != "" {
		local = name
	}
	return local + "@" + host
}

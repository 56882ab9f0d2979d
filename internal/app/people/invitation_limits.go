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

// Limits for mailed invitations. Revoking an invitation does not lower the counts.
var (
	invitesByUser   = []core.Limit{{Max: 30, Window: time.Hour}, {Max: 100, Window: core.Day}}
	invitesToGroup  = []core.Limit{{Max: 100, Window: core.Day}}
	invitesOfPerson = []core.Limit{{Max: 3, Window: core.Day}} // of the same person by the same user, to any groups
	mailsToPerson   = []core.Limit{{Max: 3, Window: core.Day}} // by all users
)

// countInvitation counts an invitation by a user to a group, and returns TooMany over a limit. The limits only reveal
// what the user and the group did. Invitations by others remain confidential; too many of them delay the mail instead
// (holdBack).
func countInvitation(ctx context.Context, tx *store.Tx, by domain.UserID, group domain.GroupID, in InviteInput, now time.Time) error {
	user := strconv.FormatInt(int64(by), 10)
	as := "user " + strconv.FormatInt(int64(in.User), 10) // keyed as named: user and address must not reveal each other
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

// holdBack counts a mail with an invitation to an address. Over the limit, it returns an error that makes the job run
// again when the next mail may be sent. In the meantime the invitation may be revoked or expire.
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

// mailsTo returns the counter of mails with invitations to an address.
func mailsTo(email string) core.Tried {
	return core.Counters(mailsToPerson, true, "invitation mail", mailbox(email))
}

// mailbox returns an address without the "+" suffix, which usually is only a label of the recipient.
func mailbox(email string) string {
	local, host, _ := strings.Cut(strings.ToLower(email), "@")
	if name, _, labelled := strings.Cut(local, "+"); labelled && name != "" {
		local = name
	}
	return local + "@" + host
}

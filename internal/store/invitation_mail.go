package store

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// ClaimInvitationMail notes that the mail of an open invitation is being sent, with a
// token of this hash, and reads the invitation. NotFound means that there is nothing
// to send: it was sent or claimed before, or the invitation is not open any more.
func (tx *Tx) ClaimInvitationMail(ctx context.Context, id domain.InvitationID, tokenHash []byte, now time.Time) (domain.Invitation, error) {
	var group domain.GroupID
	err := tx.q.QueryRow(ctx, `UPDATE invitations SET mailed_at = $2, token_hash = $3
		WHERE id = $1 AND mailed_at IS NULL AND state = 'pending' AND expires_at > $2 RETURNING group_id`,
		id, micros(now), tokenHash).Scan(&group)
	if err != nil {
		return domain.Invitation{}, found(err)
	}
	return tx.Invitation(ctx, group, id)
}

// ReleaseInvitationMail takes back the claim that set this hash.
func (tx *Tx) ReleaseInvitationMail(ctx context.Context, id domain.InvitationID, tokenHash []byte) error {
	return tx.exec(ctx, `UPDATE invitations SET mailed_at = NULL WHERE id = $1 AND token_hash = $2`, id, tokenHash)
}

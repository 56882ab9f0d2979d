package people

import (
	"context"

	"vitrine/internal/domain"
)

// MaxScanned exports maxScanned.
const MaxScanned = maxScanned

// CursorAt returns the cursor of an activity in a list of a user.
func CursorAt(ctx context.Context, a *People, list string, user domain.UserID, id domain.ActivityID) (string, error) {
	c, err := a.cursors(ctx, list, user)
	return c.at(id), err
}

// FixedCursor returns the cursor of an activity in a list of a user with a fixed secret.
func FixedCursor(secret, list string, user domain.UserID, id domain.ActivityID) string {
	return cursors{[]byte(secret), list, user}.at(id)
}

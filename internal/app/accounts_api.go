package app

import (
	"context"
	"errors"

	"vitrine/internal/domain"
)

var errNotBuilt = errors.New("not built")

// Farewell is what deleting an account would do.
type Farewell struct {
	Channels      int64          // own, deleted
	Blocks        int64          // in nobody else's channel, deleted
	SharedBlocks  int64          // in channels of others, kept without a name
	Comments      int64          // deleted
	GroupsHanded  []domain.Group // owned, handed to the member who is there longest
	GroupsDeleted []domain.Group // owned, with no other member
	OnlyOperator  bool           // so it cannot be deleted yet
}

// Farewell says what deleting the actor's account would do.
func (a *App) Farewell(ctx context.Context, actor domain.Actor) (Farewell, error) {
	return Farewell{}, errNotBuilt
}

// DeleteAccount deletes the actor's account where the password and the slug are right.
// It is out of sight at once; a job clears what was theirs.
func (a *App) DeleteAccount(ctx context.Context, from domain.Visitor, actor domain.Actor, slug, password string) error {
	return errNotBuilt
}

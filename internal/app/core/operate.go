package core

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Operate refuses actors who are not operators.
func Operate(ctx context.Context, q store.Queries, actor domain.Actor) error {
	u, err := q.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return err
	}
	if err != nil || u.Office != domain.OfficeOperator || u.SuspendedAt != nil {
		return Forbidden("run this server")
	}
	return nil
}

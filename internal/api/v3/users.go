package v3

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/v3"
)

// GetCurrentUser implements getCurrentUser.
func (h *handler) GetCurrentUser(ctx context.Context) (*v3.Me, error) {
	who := httpedge.Actor(ctx)
	u, err := h.app.People.Me(ctx, who)
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.Me(u)); err != nil {
		return nil, err
	}
	return h.me(who, u), nil
}

// GetUser implements getUser.
func (h *handler) GetUser(ctx context.Context, p v3.GetUserParams) (*v3.User, error) {
	who := httpedge.Actor(ctx)
	u, err := h.app.People.User(ctx, domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.User(who, u)); err != nil {
		return nil, err
	}
	return h.user(who, h.at.User(&u)), nil
}

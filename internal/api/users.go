package api

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
)

// GetCurrentUser implements getCurrentUser.
func (h *handler) GetCurrentUser(ctx context.Context) (*v3.Me, error) {
	who := actor(ctx)
	u, err := h.app.Me(ctx, who)
	if err != nil {
		return nil, err
	}
	if err := fresh(ctx, h.userTag("me", who, u)); err != nil {
		return nil, err
	}
	return h.me(who, u), nil
}

// GetUser implements getUser.
func (h *handler) GetUser(ctx context.Context, p v3.GetUserParams) (*v3.User, error) {
	u, err := h.app.User(ctx, domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	u.Unread = 0 // the user's own affair
	if err := fresh(ctx, h.userTag("user", actor(ctx), u)); err != nil {
		return nil, err
	}
	return h.user(actor(ctx), u), nil
}

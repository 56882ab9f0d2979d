package v3

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/v3"
)

// GetConnection implements getConnection.
func (h *handler) GetConnection(ctx context.Context, p v3.GetConnectionParams) (*v3.Connection, error) {
	who := httpedge.Actor(ctx)
	c, err := h.app.Collections.Connection(ctx, who, domain.ConnectionID(p.ID))
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.Connection(who, c.Channel, c.Connection)); err != nil {
		return nil, err
	}
	return h.connection(who, c), nil
}

// CreateConnection implements createConnection.
func (h *handler) CreateConnection(ctx context.Context, r *v3.CreateConnectionReq) (*v3.CreateConnectionCreated, error) {
	who := httpedge.Actor(ctx)
	item := domain.ItemRef{Type: domain.ItemType(r.ConnectableType), ID: r.ConnectableID}
	made, err := h.app.Collections.Connect(ctx, who, item, targets(r.ChannelIds, r.Position, r.Channels))
	if err != nil {
		return nil, err
	}
	w := &v3.CreateConnectionCreated{Data: make([]v3.Connection, len(made))}
	for i, c := range made {
		w.Data[i] = *h.connection(who, c)
	}
	return w, nil
}

// UpdateConnection implements updateConnection.
func (h *handler) UpdateConnection(ctx context.Context, r *v3.UpdateConnectionReq, p v3.UpdateConnectionParams) (*v3.Connection, error) {
	who := httpedge.Actor(ctx)
	c, err := h.app.Collections.UpdateConnection(ctx, who, domain.ConnectionID(p.ID), rawMetadata(r.Metadata))
	if err != nil {
		return nil, err
	}
	return h.connection(who, c), nil
}

// DeleteConnection implements deleteConnection.
func (h *handler) DeleteConnection(ctx context.Context, p v3.DeleteConnectionParams) error {
	return h.app.Collections.DeleteConnection(ctx, httpedge.Actor(ctx), domain.ConnectionID(p.ID))
}

// MoveConnection implements moveConnection.
func (h *handler) MoveConnection(ctx context.Context, r *v3.MoveConnectionReq, p v3.MoveConnectionParams) (*v3.Connection, error) {
	who := httpedge.Actor(ctx)
	var position *int64
	if r.Position.Set {
		position = &r.Position.Value
	}
	c, err := h.app.Collections.MoveConnection(ctx, who, domain.ConnectionID(p.ID),
		domain.Movement(r.Movement.Or(v3.MovementInsertAt)), position)
	if err != nil {
		return nil, err
	}
	return h.connection(who, c), nil
}

package api

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/oas/ext"
)

// GetCollaborators implements getCollaborators.
func (h *handler) GetCollaborators(ctx context.Context, p ext.GetCollaboratorsParams) (*ext.CollaboratorList, error) {
	all, err := h.app.Collaborators(ctx, actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	return &ext.CollaboratorList{Data: h.embeddedAll(all)}, nil
}

// AddCollaborator implements addCollaborator.
func (h *handler) AddCollaborator(ctx context.Context, r *ext.AddCollaboratorReq, p ext.AddCollaboratorParams) (ext.AddCollaboratorRes, error) {
	who := domain.PrincipalRef{Type: domain.TypeUser, ID: r.UserID.Value}
	if r.GroupID.Set {
		who = domain.PrincipalRef{Type: domain.TypeGroup, ID: r.GroupID.Value}
	}
	c, added, err := h.app.AddCollaborator(ctx, actor(ctx), domain.ParseRef(p.ID), who)
	if err != nil {
		return nil, err
	}
	w := h.embedded(c)
	if added {
		return (*ext.AddCollaboratorCreatedApplicationJSON)(&w), nil
	}
	return (*ext.AddCollaboratorOKApplicationJSON)(&w), nil
}

// RemoveCollaborator implements removeCollaborator.
func (h *handler) RemoveCollaborator(ctx context.Context, p ext.RemoveCollaboratorParams) error {
	return h.app.RemoveCollaborators(ctx, actor(ctx), domain.ParseRef(p.ID),
		domain.PrincipalRef{Type: domain.PrincipalType(p.Type), ID: p.CollaboratorID})
}

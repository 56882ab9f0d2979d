package ext

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// GetCollaborators implements getCollaborators.
func (h *handler) GetCollaborators(ctx context.Context, p ext.GetCollaboratorsParams) (*ext.CollaboratorList, error) {
	all, err := h.app.Collections.Collaborators(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	w := &ext.CollaboratorList{Data: make([]wire.Item, len(all))}
	for i := range all {
		w.Data[i] = embedded(h.at.Principal(&all[i]))
	}
	return w, nil
}

// AddCollaborator implements addCollaborator.
func (h *handler) AddCollaborator(ctx context.Context, r *ext.AddCollaboratorReq, p ext.AddCollaboratorParams) (ext.AddCollaboratorRes, error) {
	who := domain.PrincipalRef{Type: domain.TypeUser, ID: r.UserID.Value}
	if r.GroupID.Set {
		who = domain.PrincipalRef{Type: domain.TypeGroup, ID: r.GroupID.Value}
	}
	c, added, err := h.app.Collections.AddCollaborator(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), who)
	if err != nil {
		return nil, err
	}
	w := embedded(h.at.Principal(&c))
	if added {
		return (*ext.AddCollaboratorCreatedApplicationJSON)(&w), nil
	}
	return (*ext.AddCollaboratorOKApplicationJSON)(&w), nil
}

// RemoveCollaborator implements removeCollaborator.
func (h *handler) RemoveCollaborator(ctx context.Context, p ext.RemoveCollaboratorParams) error {
	return h.app.Collections.RemoveCollaborators(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID),
		domain.PrincipalRef{Type: domain.PrincipalType(p.Type), ID: p.CollaboratorID})
}

package v3

import (
	"context"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
)

// GetGroupInvitations implements getGroupInvitations.
func (h *handler) GetGroupInvitations(ctx context.Context, p v3.GetGroupInvitationsParams) (*v3.MembershipInvitationListResponse, error) {
	at := httpedge.Page(p.Page, p.Per)
	l, err := h.app.People.Invitations(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), at)
	if err != nil {
		return nil, err
	}
	w := &v3.MembershipInvitationListResponse{Data: make([]v3.MembershipInvitation, len(l.Items)), Meta: meta(at, l.Total)}
	for i, invitation := range l.Items {
		w.Data[i] = h.invitation(invitation)
	}
	return w, nil
}

// CreateGroupInvitation implements createGroupInvitation.
func (h *handler) CreateGroupInvitation(ctx context.Context, r *v3.CreateGroupInvitationReq, p v3.CreateGroupInvitationParams) (v3.CreateGroupInvitationRes, error) {
	made, err := h.app.People.Invite(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID),
		people.InviteInput{User: domain.UserID(r.UserID.Or(0)), Email: r.Email.Or("")})
	if err != nil {
		return nil, err
	}
	w := h.invited(made)
	if made.Outcome == domain.OutcomeAdded || made.Outcome == domain.OutcomeInvited {
		return (*v3.CreateGroupInvitationCreated)(&w), nil
	}
	return (*v3.CreateGroupInvitationOK)(&w), nil
}

// RevokeGroupInvitation implements revokeGroupInvitation.
func (h *handler) RevokeGroupInvitation(ctx context.Context, p v3.RevokeGroupInvitationParams) error {
	return h.app.People.RevokeInvitation(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), domain.InvitationID(p.InvitationID))
}

// GetGroupInvite implements getGroupInvite.
func (h *handler) GetGroupInvite(ctx context.Context, p v3.GetGroupInviteParams) (*v3.GroupInvite, error) {
	i, err := h.app.People.GroupInvite(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.GroupInvite(i.Group, i.GroupInvite)); err != nil {
		return nil, err
	}
	w := h.groupInvite(i)
	return &w, nil
}

// CreateGroupInvite implements createGroupInvite.
func (h *handler) CreateGroupInvite(ctx context.Context, p v3.CreateGroupInviteParams) (v3.CreateGroupInviteRes, error) {
	i, created, err := h.app.People.CreateGroupInvite(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	w := h.groupInvite(i)
	if created {
		return (*v3.CreateGroupInviteCreated)(&w), nil
	}
	return (*v3.CreateGroupInviteOK)(&w), nil
}

// DeleteGroupInvite implements deleteGroupInvite.
func (h *handler) DeleteGroupInvite(ctx context.Context, p v3.DeleteGroupInviteParams) error {
	return h.app.People.DeleteGroupInvite(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
}

// Package worker says which use case each kind of job is.
package worker

import (
	"context"

	"vitrine/internal/app"
	"vitrine/internal/jobs"
)

// Handlers are those of all kinds of jobs.
func Handlers(a *app.App) *jobs.Handlers {
	h := jobs.NewHandlers()
	jobs.Handle(h, func(ctx context.Context, job app.InvitationMail) error {
		return a.SendInvitation(ctx, job.Invitation)
	})
	jobs.Handle(h, func(ctx context.Context, job app.EndedFollows) error {
		return a.EndFollows(ctx, job)
	})
	return h
}

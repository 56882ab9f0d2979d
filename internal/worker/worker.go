// Package worker says which use case each kind of job is.
package worker

import (
	"context"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
)

// Handlers are those of all kinds of jobs.
func Handlers(a *app.App) *jobs.Handlers {
	h := jobs.NewHandlers()
	jobs.Handle(h, func(ctx context.Context, job app.InvitationMail) error {
		return a.SendInvitation(ctx, job.Invitation)
	})
	jobs.Handle(h, func(ctx context.Context, job app.MailSignUp) error { return a.SendSignUp(ctx, job.Signup) })
	jobs.Handle(h, func(ctx context.Context, job app.MailPasswordLink) error { return a.SendPasswordLink(ctx, job) })
	jobs.Handle(h, func(ctx context.Context, job app.MailAddressLink) error { return a.SendAddressLink(ctx, job.Link) })
	jobs.Handle(h, func(ctx context.Context, job app.MailNotice) error { return a.SendNotice(ctx, job) })
	jobs.Handle(h, func(ctx context.Context, job app.ClearAccount) error { return a.ClearAccount(ctx, job.User) })
	jobs.Handle(h, func(ctx context.Context, _ app.SweepAccounts) error { return a.SweepAccounts(ctx) })
	h.Every(app.SweepInterval, app.SweepAccounts{})
	jobs.Handle(h, func(ctx context.Context, job app.ProcessBlock) error { return a.ProcessBlock(ctx, job.Block) })
	jobs.Handle(h, func(ctx context.Context, job app.GrantAvatar) error {
		return a.GrantAvatar(ctx, domain.PrincipalRef{Type: job.OwnerType, ID: job.OwnerID}, job.N)
	})
	jobs.Handle(h, func(ctx context.Context, job app.RunBatch) error { return a.RunBatch(ctx, job.Batch) })
	jobs.Handle(h, func(ctx context.Context, _ app.SweepContent) error { return a.SweepContent(ctx) })
	h.Every(app.SweepInterval, app.SweepContent{})
	jobs.Handle(h, func(ctx context.Context, job app.EndedFollows) error {
		return a.EndFollows(ctx, job)
	})
	jobs.Handle(h, func(ctx context.Context, job app.EndedGroup) error { return a.EndGroupItems(ctx, job.ID) })
	jobs.Handle(h, func(ctx context.Context, job app.ApplyTransition) error { return a.ApplyTransition(ctx, job.ID) })
	jobs.Handle(h, func(ctx context.Context, _ app.ResumeTransitions) error { return a.ResumeTransitions(ctx) })
	h.Every(app.ResumeInterval, app.ResumeTransitions{})
	jobs.Handle(h, func(ctx context.Context, _ app.IndexWords) error { return a.IndexWords(ctx) })
	h.Every(app.IndexInterval, app.IndexWords{})
	return h
}

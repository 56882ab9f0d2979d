// Package worker says which use case each kind of job is.
package worker

import (
	"context"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
)

// outagePause is after how long a job is run again that something which is away, such as
// the database or the storage of files, has kept from its work.
const outagePause = 30 * time.Second

// handle has do work the jobs of a kind. An outage is no failure of the job: its tries
// are not used up, however long that takes.
func handle[A jobs.Args](h *jobs.Handlers, do func(ctx context.Context, args A) error) {
	jobs.Handle(h, func(ctx context.Context, args A) error { return spare(do(ctx, args)) })
}

// every has do work a job of a kind every so often. Outages use up its tries: jobs that
// are put off would pile up, one for each time, and the next one does their work.
func every[A jobs.Args](h *jobs.Handlers, interval time.Duration, args A, do func(ctx context.Context) error) {
	jobs.Handle(h, func(ctx context.Context, _ A) error { return do(ctx) })
	h.Every(interval, args)
}

// spare has a job that met an outage run again without counting the try.
func spare(err error) error {
	if domain.KindOf(err) != domain.Unavailable {
		return err
	}
	return jobs.Outage(err, outagePause)
}

// Handlers are those of all kinds of jobs.
func Handlers(a *app.App) *jobs.Handlers {
	h := jobs.NewHandlers()
	handle(h, func(ctx context.Context, job app.InvitationMail) error {
		return a.SendInvitation(ctx, job.Invitation)
	})
	handle(h, func(ctx context.Context, job app.MailSignUp) error { return a.SendSignUp(ctx, job.Signup) })
	handle(h, func(ctx context.Context, job app.MailPasswordLink) error { return a.SendPasswordLink(ctx, job) })
	handle(h, func(ctx context.Context, job app.MailAddressLink) error { return a.SendAddressLink(ctx, job.Link) })
	handle(h, func(ctx context.Context, job app.MailNotice) error { return a.SendNotice(ctx, job) })
	handle(h, func(ctx context.Context, job app.ClearAccount) error { return a.ClearAccount(ctx, job.User) })
	every(h, app.SweepInterval, app.SweepAccounts{}, a.SweepAccounts)
	handle(h, func(ctx context.Context, job app.ProcessBlock) error { return a.ProcessBlock(ctx, job.Block) })
	handle(h, func(ctx context.Context, job app.GrantAvatar) error {
		return a.GrantAvatar(ctx, domain.PrincipalRef{Type: job.OwnerType, ID: job.OwnerID}, job.N)
	})
	handle(h, func(ctx context.Context, job app.RunBatch) error { return a.RunBatch(ctx, job.Batch) })
	every(h, app.SweepInterval, app.SweepContent{}, a.SweepContent)
	handle(h, func(ctx context.Context, job app.EndedFollows) error {
		return a.EndFollows(ctx, job)
	})
	handle(h, func(ctx context.Context, job app.EndedGroup) error { return a.EndGroupItems(ctx, job.ID) })
	handle(h, func(ctx context.Context, job app.ApplyTransition) error { return a.ApplyTransition(ctx, job) })
	every(h, app.ResumeInterval, app.ResumeTransitions{}, a.ResumeTransitions)
	every(h, app.IndexInterval, app.IndexWords{}, a.IndexWords)
	return h
}

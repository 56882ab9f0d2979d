// Package worker maps each kind of job to its use case.
package worker

import (
	"context"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/app/people"
	"vitrine/internal/app/search"
	"vitrine/internal/app/signin"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/jobs"
	"vitrine/internal/moving"
)

// outagePause is how long a job waits before it runs again after an outage, such as that
// of the database or the storage of files.
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
func Handlers(a *app.App, exports *exporting.Exporter) *jobs.Handlers {
	h := jobs.NewHandlers()
	handle(h, func(ctx context.Context, job people.InvitationMail) error {
		return a.SendInvitation(ctx, job.Invitation)
	})
	handle(h, func(ctx context.Context, job accounts.MailSignUp) error { return a.SendSignUp(ctx, job.Signup) })
	handle(h, func(ctx context.Context, job operating.MailInvitation) error {
		return a.SendAccountInvitation(ctx, job.Link)
	})
	handle(h, func(ctx context.Context, job accounts.MailPasswordLink) error { return a.SendPasswordLink(ctx, job) })
	handle(h, func(ctx context.Context, job accounts.MailAddressLink) error { return a.SendAddressLink(ctx, job.Link) })
	handle(h, func(ctx context.Context, job signin.MailProofLink) error { return a.SendProofLink(ctx, job) })
	handle(h, func(ctx context.Context, job signin.MailNotice) error { return a.SendNotice(ctx, job) })
	handle(h, func(ctx context.Context, job moderation.MailNotice) error {
		return a.SendModerationNotice(ctx, job.Notice)
	})
	handle(h, a.SendCases)
	every(h, moderation.TellInterval, moderation.TellOperators{}, a.TellOperators)
	handle(h, a.ApplyHiding)
	every(h, moderation.ResumeHidingInterval, moderation.ResumeHiding{}, a.ResumeHiding)
	handle(h, func(ctx context.Context, job accounts.ClearAccount) error { return a.ClearAccount(ctx, job.User) })
	every(h, content.SweepInterval, accounts.SweepAccounts{}, a.SweepAccounts)
	handle(h, func(ctx context.Context, job content.ProcessBlock) error { return a.ProcessBlock(ctx, job.Block) })
	handle(h, func(ctx context.Context, job content.GrantAvatar) error {
		return a.GrantAvatar(ctx, domain.PrincipalRef{Type: job.OwnerType, ID: job.OwnerID}, job.N)
	})
	handle(h, func(ctx context.Context, job collections.RunBatch) error { return a.RunBatch(ctx, job.Batch) })
	every(h, content.SweepInterval, content.SweepContent{}, a.SweepContent)
	handle(h, func(ctx context.Context, job people.EndedFollows) error {
		return a.EndFollows(ctx, job)
	})
	handle(h, func(ctx context.Context, job people.EndedGroup) error { return a.EndGroupItems(ctx, job.ID) })
	handle(h, func(ctx context.Context, job collections.ApplyTransition) error { return a.ApplyTransition(ctx, job) })
	handle(h, func(ctx context.Context, job transfer.RunImport) error { return moving.Run(ctx, a, job.Import) })
	every(h, transfer.SweepInterval, transfer.SweepImports{}, a.SweepImports)
	handle(h, func(ctx context.Context, job transfer.MakeExport) error { return exports.Make(ctx, job.Export) })
	every(h, transfer.SweepInterval, transfer.SweepExports{}, a.SweepExports)
	every(h, collections.ResumeInterval, collections.ResumeTransitions{}, a.ResumeTransitions)
	every(h, content.SweepInterval, operating.SweepAuditLog{}, a.SweepAuditLog)
	every(h, content.CountTextsInterval, content.CountTexts{}, a.CountTexts)
	every(h, search.IndexInterval, search.IndexWords{}, a.IndexWords)
	every(h, search.IndexInterval, search.RefreshDocuments{}, a.RefreshDocuments)
	every(h, content.ExamineInterval, content.ExamineFiles{}, a.ExamineFiles)
	return h
}

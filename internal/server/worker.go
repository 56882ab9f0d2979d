package server

import (
	"context"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/app/changes"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/app/people"
	"vitrine/internal/app/searches"
	"vitrine/internal/app/transfer"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/importing"
	"vitrine/internal/jobs"
)

// outagePause is the delay before a job runs again after an outage, for example of the database or
// the file storage.
const outagePause = 30 * time.Second

// handle registers a kind of job. Outages do not use up the job's attempts.
func handle[A jobs.Args](h *jobs.Handlers, do func(ctx context.Context, args A) error) {
	jobs.Handle(h, func(ctx context.Context, args A) error { return spare(do(ctx, args)) })
}

// every registers a periodic job. Here outages do use up attempts: postponed jobs would pile up,
// one per interval, and the next run does their work anyway.
func every[A jobs.Args](h *jobs.Handlers, interval time.Duration, args A, do func(ctx context.Context) error) {
	jobs.Handle(h, func(ctx context.Context, _ A) error { return do(ctx) })
	h.Every(interval, args)
}

// spare turns an outage into a postponement, which does not count as an attempt.
func spare(err error) error {
	if domain.KindOf(err) != domain.Unavailable {
		return err
	}
	return jobs.Outage(err, outagePause)
}

// jobHandlers returns the handlers of all kinds of jobs.
func jobHandlers(a *app.App, exports *exporting.Exporter) *jobs.Handlers {
	h := jobs.NewHandlers()
	handle(h, func(ctx context.Context, job people.InvitationMail) error {
		return a.People.SendInvitation(ctx, job.Invitation)
	})
	handle(h, func(ctx context.Context, job accounts.MailSignUp) error {
		return a.Accounts.SendSignUp(ctx, job.Signup)
	})
	handle(h, func(ctx context.Context, job operating.MailInvitation) error {
		return a.Operating.SendAccountInvitation(ctx, job.Link)
	})
	handle(h, func(ctx context.Context, job accounts.MailPasswordLink) error {
		return a.Accounts.SendPasswordLink(ctx, job)
	})
	handle(h, func(ctx context.Context, job accounts.MailAddressLink) error {
		return a.Accounts.SendAddressLink(ctx, job.Link)
	})
	handle(h, func(ctx context.Context, job accounts.MailProofLink) error { return a.Accounts.SendProofLink(ctx, job) })
	handle(h, func(ctx context.Context, job accounts.MailNotice) error { return a.Accounts.SendNotice(ctx, job) })
	handle(h, func(ctx context.Context, job moderation.MailNotice) error {
		return a.Moderation.SendModerationNotice(ctx, job.Notice)
	})
	handle(h, a.Moderation.SendCases)
	every(h, moderation.NotifyInterval, moderation.NotifyOperators{}, a.Moderation.NotifyOperators)
	handle(h, a.Moderation.ApplyHiding)
	every(h, moderation.ResumeHidingInterval, moderation.ResumeHiding{}, a.Moderation.ResumeHiding)
	handle(h, func(ctx context.Context, job accounts.ClearAccount) error {
		return a.Accounts.ClearAccount(ctx, job.User)
	})
	every(h, content.SweepInterval, accounts.SweepAccounts{}, a.Accounts.SweepAccounts)
	handle(h, a.Content.RunProcessBlock)
	handle(h, a.Content.TakeSnapshot)
	handle(h, func(ctx context.Context, job content.GrantAvatar) error {
		return a.Content.GrantAvatar(ctx, domain.PrincipalRef{Type: job.OwnerType, ID: job.OwnerID}, job.N)
	})
	handle(h, func(ctx context.Context, job collections.RunBatch) error {
		return a.Collections.RunBatch(ctx, job.Batch)
	})
	handle(h, a.Collections.RunCopyContents)
	handle(h, a.Collections.RunCheckFeed)
	every(h, collections.CheckFeedsInterval, collections.CheckFeeds{}, a.Collections.CheckFeeds)
	every(h, content.SweepInterval, content.SweepContent{}, a.Content.SweepContent)
	handle(h, func(ctx context.Context, job people.EndedFollows) error {
		return a.People.EndFollows(ctx, job)
	})
	handle(h, a.People.RestoreFollowers)
	handle(h, func(ctx context.Context, job people.EndedGroup) error { return a.People.EndGroupItems(ctx, job.ID) })
	handle(h, func(ctx context.Context, job collections.ApplyTransition) error {
		return a.Collections.ApplyTransition(ctx, job)
	})
	handle(h, func(ctx context.Context, job transfer.RunImport) error { return importing.RunStep(ctx, a, job) })
	handle(h, func(ctx context.Context, job transfer.RunFileImport) error {
		return importing.RunStep(ctx, a, transfer.RunImport(job))
	})
	every(h, transfer.SweepInterval, transfer.SweepImports{}, a.Transfer.SweepImports)
	handle(h, func(ctx context.Context, job transfer.MakeExport) error { return exports.Make(ctx, job.Export) })
	every(h, transfer.SweepInterval, transfer.SweepExports{}, a.Transfer.SweepExports)
	every(h, collections.ResumeInterval, collections.ResumeTransitions{}, a.Collections.ResumeTransitions)
	every(h, collections.PurgeTrashInterval, collections.PurgeTrash{}, a.Collections.PurgeTrash)
	every(h, content.SweepInterval, operating.SweepAuditLog{}, a.Operating.SweepAuditLog)
	every(h, content.SweepInterval, changes.SweepChanges{}, a.Changes.SweepChanges)
	every(h, content.CountTextsInterval, content.CountTexts{}, a.Content.CountTexts)
	every(h, collections.IndexInterval, collections.IndexWords{}, a.Finder.IndexWords)
	every(h, collections.IndexInterval, collections.RefreshDocuments{}, a.Finder.RefreshDocuments)
	every(h, content.ExamineInterval, content.ExamineFiles{}, a.Content.ExamineFiles)
	every(h, content.ExamineInterval, content.FindAnimations{}, a.Content.FindAnimations)
	every(h, content.ExamineInterval, content.FindLooks{}, a.Content.FindLooks)
	every(h, content.CheckLinksInterval, content.CheckLinks{}, a.Content.CheckLinks)
	every(h, searches.CheckInterval, searches.CheckSearches{}, a.Searches.Check)
	every(h, searches.MailInterval, searches.QueueSearchMails{}, a.Searches.QueueSearchMails)
	handle(h, a.Searches.SendSearchMail)
	handle(h, a.Webhooks.SendStopped)
	every(h, content.SweepInterval, webhooks.SweepDeliveries{}, a.Webhooks.SweepDeliveries)
	return h
}

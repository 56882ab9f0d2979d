package ext

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// AdminGetServer implements adminGetServer.
func (h *handler) AdminGetServer(ctx context.Context) (*ext.AdminServer, error) {
	who, operating := httpedge.Actor(ctx), h.app.Operating
	status, err := operating.ServerStatus(ctx, who)
	if err != nil {
		return nil, err
	}
	state, err := operating.ServerState(ctx, who)
	if err != nil {
		return nil, err
	}
	totals, at, err := operating.Totals(ctx, who)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminServer{Version: h.program, Database: status.Database, Users: totals.Users, Groups: totals.Groups, Channels: totals.Channels, Blocks: totals.Blocks,
		Connections: totals.Connections, StoredBytes: totals.Bytes, CountedAt: moment(at), Jobs: []ext.AdminJobClass{}, MailSentAt: moment(state.Mail.LastSent),
		MailError: nonEmpty(state.Mail.LastError), Disks: []ext.AdminDisk{}}
	for _, c := range state.Jobs {
		out.Jobs = append(out.Jobs, ext.AdminJobClass{Name: string(c.Class), Waiting: c.Waiting, Running: c.Running, Failed: c.Failed, OldestDueAt: moment(c.OldestDue)})
	}
	for _, d := range state.Disks {
		out.Disks = append(out.Disks, ext.AdminDisk{Path: d.Folder, FreeBytes: d.Free, TotalBytes: d.Total})
	}
	if state.LastBackup != nil {
		out.LastBackupAt = moment(state.LastBackup.StartedAt)
	}
	if state.BadBackup != nil {
		out.FailedBackupAt = moment(state.BadBackup.StartedAt)
	}
	return out, nil
}

// AdminListJobs implements adminListJobs.
func (h *handler) AdminListJobs(ctx context.Context, p ext.AdminListJobsParams) (*ext.AdminJobList, error) {
	all, next, err := h.app.Operating.JobsAfter(ctx, httpedge.Actor(ctx), operating.JobState(p.State.Or(ext.AdminListJobsStateFailed)), p.Cursor.Or(""), int(p.Limit.Or(adminLimit)))
	if err != nil {
		return nil, err
	}
	out := &ext.AdminJobList{Data: make([]ext.AdminJob, len(all)), NextCursor: nonEmpty(next)}
	for i, j := range all {
		out.Data[i] = ext.AdminJob{ID: j.ID, Kind: j.Kind, Args: wire.JSON(j.Args), State: ext.AdminJobState(j.State), Attempts: int64(j.Attempts), MaxAttempts: int64(j.MaxAttempts),
			At: moment(j.At), Error: nonEmpty(j.Error), Process: nonEmpty(j.Process)}
	}
	return out, nil
}

// AdminRetryJob implements adminRetryJob.
func (h *handler) AdminRetryJob(ctx context.Context, r *ext.AdminRetryJobReq, p ext.AdminRetryJobParams) error {
	return h.app.Operating.RetryJobAs(ctx, httpedge.Actor(ctx), p.ID, r.Force)
}

// AdminListBackfills implements adminListBackfills.
func (h *handler) AdminListBackfills(ctx context.Context) (*ext.AdminBackfillList, error) {
	all, err := h.app.Operating.BackfillsFor(ctx, operator(ctx))
	if err != nil {
		return nil, err
	}
	out := &ext.AdminBackfillList{Data: make([]ext.AdminBackfill, len(all))}
	for i, b := range all {
		out.Data[i] = ext.AdminBackfill{Kind: b.Kind, Rows: b.Rows, AtMost: b.AtMost}
	}
	return out, nil
}

// AdminListBackups implements adminListBackups.
func (h *handler) AdminListBackups(ctx context.Context, p ext.AdminListBackupsParams) (*ext.AdminBackupList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Operating.Backups(ctx, operator(ctx), instantOf(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminBackupList{}
	out.Data, out.NextCursor = listed(all, at, func(b operating.Backup) string { return numbered(b.StartedAt.UnixMicro()) }, adminBackup)
	return out, nil
}

func adminBackup(b operating.Backup) ext.AdminBackup {
	state := ext.AdminBackupStateDone
	switch {
	case b.Error != "" || b.Died:
		state = ext.AdminBackupStateFailed
	case b.EndedAt.IsZero():
		state = ext.AdminBackupStateRunning
	}
	return ext.AdminBackup{Name: nonEmpty(b.Copy), Scheduled: b.Scheduled, State: state, Error: nonEmpty(b.Error), Rows: b.Rows, Files: b.Files, Bytes: b.Bytes,
		Written: b.Written, Missing: b.Missing, StartedAt: moment(b.StartedAt), EndedAt: moment(b.EndedAt)}
}

// AdminStartBackup implements adminStartBackup.
func (h *handler) AdminStartBackup(ctx context.Context) error {
	return h.app.Operating.RequestBackup(ctx, operator(ctx))
}

// AdminListAudit implements adminListAudit.
func (h *handler) AdminListAudit(ctx context.Context, p ext.AdminListAuditParams) (*ext.AdminAuditList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	f := domain.AuditFilter{Act: domain.Act(p.Act.Or("")), From: p.From.Or(noTime), To: p.To.Or(noTime)}
	f.Actor, f.About.Label = p.Actor.Or(""), p.About.Or("")
	if id, err := strconv.ParseInt(f.Actor, 10, 64); err == nil && id > 0 {
		f.ActorID, f.Actor = domain.UserID(id), ""
	}
	if kind, number, ok := strings.Cut(f.About.Label, " "); ok {
		if id, err := strconv.ParseInt(number, 10, 64); err == nil && id > 0 {
			f.About = domain.AuditTarget{Kind: kind, ID: id}
		}
	}
	moderates := httpedge.Actor(ctx).Limits.Allows(domain.AdminModeration)
	if f.About.Label != "" && !moderates {
		return nil, domain.NewForbidden("To look for names in the audit log, the token needs admin:moderation: they may be of hidden content")
	}
	var after domain.AuditPlace
	if at.at != 0 {
		after = domain.AuditPlace{At: instantOf(at.at), ID: domain.AuditID(at.id)}
	}
	all, err := h.app.Operating.AuditLog(ctx, httpedge.Actor(ctx), f, after, at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminAuditList{}
	out.Data, out.NextCursor = listed(all, at, func(e domain.AuditEntry) string { return numbered(e.At.UnixMicro()) + "-" + numbered(e.ID) }, func(e domain.AuditEntry) ext.AdminAuditEntry {
		return adminAuditEntry(e, moderates)
	})
	return out, nil
}

// ofModeration are the acts whose entries contain the beginning of hidden or reported content.
var ofModeration = []domain.Act{domain.ActReported, domain.ActCaseClosed, domain.ActWarned, domain.ActViewed, domain.ActHidden, domain.ActShown,
	domain.ActDeleted, domain.ActBlocked, domain.ActUnblocked}

// adminAuditEntry converts an entry, without texts of hidden and reported content unless the token moderates.
func adminAuditEntry(e domain.AuditEntry, moderates bool) ext.AdminAuditEntry {
	if !moderates && slices.Contains(ofModeration, e.Act) {
		e.About.Label, e.Details = "", nil
	}
	out := ext.AdminAuditEntry{ID: int64(e.ID), At: moment(e.At), ActorID: nilID(e.ActorID), Actor: e.Actor, Act: string(e.Act), About: ext.NilAdminSubject{Null: true},
		Details: wire.JSON("{}"), Address: nonEmpty(e.Address), RequestID: nonEmpty(e.Request)}
	if e.About.Kind != "" {
		out.About = ext.NewNilAdminSubject(subjectOf(e.About))
	}
	if e.Details != nil {
		out.Details, _ = json.Marshal(e.Details) // was read from JSON
	}
	return out
}

// AdminGetSite implements adminGetSite.
func (h *handler) AdminGetSite(ctx context.Context) (*ext.AdminSite, error) {
	s, err := h.app.Operating.SiteFor(ctx, operator(ctx))
	if err != nil {
		return nil, err
	}
	return h.adminSite(ctx, s)
}

func (h *handler) adminSite(ctx context.Context, s domain.Site) (*ext.AdminSite, error) {
	mode, fixed, err := h.app.Accounts.SignUpMode(ctx)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminSite{Name: s.Name, About: source(s.About), Announcement: source(s.Announcement),
		Severity: ext.AdminSiteSeverity(cmp.Or(s.Severity, domain.Severities[0])), AnnouncedUntil: instant(s.AnnouncedUntil), Featured: make([]int64, len(s.Featured)),
		SignUp: ext.AdminSiteSignUp(mode), SignUpFixed: fixed, Version: s.Version, UpdatedAt: moment(s.UpdatedAt)}
	for i, id := range s.Featured {
		out.Featured[i] = int64(id)
	}
	return out, nil
}

// source returns the Markdown of a text, or null.
func source(t *domain.Text) ext.NilString {
	if t == nil {
		return ext.NilString{Null: true}
	}
	return ext.NewNilString(t.Markdown)
}

// AdminUpdateSite implements adminUpdateSite.
func (h *handler) AdminUpdateSite(ctx context.Context, r *ext.AdminUpdateSiteReq) (*ext.AdminSite, error) {
	s, err := h.app.Operating.UpdateSite(ctx, httpedge.Actor(ctx), operating.SiteInput{Name: given(r.Name.Value, r.Name.Set), About: patch(r.About),
		Picture: patch(r.Picture), Featured: given(r.Featured, r.Featured != nil), Seen: r.Seen.Or(0)})
	if err != nil {
		return nil, err
	}
	return h.adminSite(ctx, s)
}

// patch converts a field of an update.
func patch(s ext.OptNilString) core.Patch {
	return core.Patch{Set: s.Set, Value: given(s.Value, s.Set && !s.Null)}
}

// AdminAnnounce implements adminAnnounce.
func (h *handler) AdminAnnounce(ctx context.Context, r *ext.AdminAnnounceReq) (*ext.AdminSite, error) {
	s, err := h.app.Operating.Announce(ctx, operator(ctx), operating.AnnouncementInput{Text: r.Announcement, Severity: domain.Severity(r.Severity.Or("")),
		Until: given(r.Until.Value, r.Until.Set), Seen: r.Seen.Or(0)})
	if err != nil {
		return nil, err
	}
	return h.adminSite(ctx, s)
}

// AdminEndAnnouncement implements adminEndAnnouncement.
func (h *handler) AdminEndAnnouncement(ctx context.Context) error {
	_, err := h.app.Operating.EndAnnouncement(ctx, operator(ctx), 0)
	return err
}

// AdminGetReadOnly implements adminGetReadOnly.
func (h *handler) AdminGetReadOnly(ctx context.Context) (*ext.AdminReadOnly, error) {
	m, err := h.app.Operating.ReadOnly(ctx)
	if err != nil {
		return nil, err
	}
	return readOnly(m), nil
}

// AdminBeginReadOnly implements adminBeginReadOnly.
func (h *handler) AdminBeginReadOnly(ctx context.Context, r *ext.AdminBeginReadOnlyReq) (*ext.AdminReadOnly, error) {
	m, err := h.app.Operating.BeginReadOnly(ctx, operator(ctx), operating.ReadOnlyInput{Reason: r.Reason.Or(""), Until: given(r.Until.Value, r.Until.Set)})
	if err != nil {
		return nil, err
	}
	return readOnly(&m), nil
}

// AdminEndReadOnly implements adminEndReadOnly.
func (h *handler) AdminEndReadOnly(ctx context.Context) error {
	_, err := h.app.Operating.EndReadOnly(ctx, operator(ctx))
	return err
}

func readOnly(m *domain.ReadOnly) *ext.AdminReadOnly {
	if m == nil {
		return &ext.AdminReadOnly{Reason: ext.NilString{Null: true}}
	}
	return &ext.AdminReadOnly{ReadOnly: true, Reason: nonEmpty(m.Reason), Since: moment(m.Since), Until: instant(m.Until)}
}

// AdminSetSignUp implements adminSetSignUp.
func (h *handler) AdminSetSignUp(ctx context.Context, r *ext.AdminSetSignUpReq) error {
	return h.app.Operating.SetSignUpMode(ctx, httpedge.Actor(ctx), domain.SignUpMode(r.Mode))
}

// AdminListPages implements adminListPages.
func (h *handler) AdminListPages(ctx context.Context) (*ext.AdminPageList, error) {
	s, err := h.app.Operating.SiteFor(ctx, operator(ctx))
	if err != nil {
		return nil, err
	}
	out := &ext.AdminPageList{Data: make([]ext.AdminPage, len(s.Legal))}
	for i, p := range s.Legal {
		out.Data[i] = adminPage(p)
	}
	return out, nil
}

func adminPage(p domain.LegalPage) ext.AdminPage {
	return ext.AdminPage{Slug: p.Slug, Title: p.Title, Body: source(p.Body), Version: p.Version, CreatedAt: moment(p.CreatedAt), UpdatedAt: moment(p.UpdatedAt)}
}

// AdminGetPage implements adminGetPage.
func (h *handler) AdminGetPage(ctx context.Context, p ext.AdminGetPageParams) (*ext.AdminPage, error) {
	page, err := h.app.Operating.LegalPage(ctx, p.Slug)
	if err != nil {
		return nil, err
	}
	return new(adminPage(page)), nil
}

// AdminSavePage implements adminSavePage.
func (h *handler) AdminSavePage(ctx context.Context, r *ext.AdminSavePageReq, p ext.AdminSavePageParams) (*ext.AdminPage, error) {
	page, err := h.app.Operating.SaveLegalPage(ctx, httpedge.Actor(ctx), operating.LegalPageInput{Slug: p.Slug, Title: r.Title, Body: r.Body, Seen: given(r.Seen.Value, r.Seen.Set)})
	if err != nil {
		return nil, err
	}
	return new(adminPage(page)), nil
}

// AdminDeletePage implements adminDeletePage.
func (h *handler) AdminDeletePage(ctx context.Context, p ext.AdminDeletePageParams) error {
	return h.app.Operating.DeleteLegalPage(ctx, httpedge.Actor(ctx), p.Slug)
}

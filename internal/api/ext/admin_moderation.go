package ext

import (
	"cmp"
	"context"

	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// AdminListReports implements adminListReports.
func (h *handler) AdminListReports(ctx context.Context, p ext.AdminListReportsParams) (*ext.AdminReportList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Moderation.Cases(ctx, operator(ctx), p.State.Value == ext.AdminListReportsStateClosed, moderation.CaseID(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminReportList{}
	out.Data, out.NextCursor = listed(all, at, func(c moderation.Case) string { return numbered(c.ID) }, adminReport)
	return out, nil
}

func adminReport(c moderation.Case) ext.AdminReport {
	out := ext.AdminReport{ID: int64(c.ID), About: subjectOf(c.About), OwnerID: nilID(c.OwnerID), Owner: nonEmpty(c.Owner), Reports: c.Reports, OpenedAt: moment(c.OpenedAt),
		LastAt: moment(c.LastAt), ClosedAt: instant(c.ClosedAt), ClosedBy: nonEmpty(c.ClosedBy), Text: nonEmpty(c.Words)}
	if out.Outcome.Null = c.Outcome == ""; !out.Outcome.Null {
		out.Outcome.Value = ext.AdminReportOutcome(c.Outcome)
	}
	return out
}

// AdminGetReport implements adminGetReport.
func (h *handler) AdminGetReport(ctx context.Context, p ext.AdminGetReportParams) (*ext.AdminReportDetails, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	c, err := h.app.Moderation.ReadCase(ctx, operator(ctx), moderation.CaseID(p.ID), at.at, at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminReportDetails{Report: adminReport(c.Case), Excerpt: nonEmpty(""), HiddenID: hiddenID(c.Hidden)}
	if c.Subject != nil {
		out.Excerpt = ext.NewNilString(c.Subject.Text)
	}
	out.Entries, out.NextCursor = listed(c.Reports, at, func(r moderation.Report) string { return numbered(r.ID) }, func(r moderation.Report) ext.AdminReportEntry {
		return ext.AdminReportEntry{ID: r.ID, ReporterID: nilID(r.ReporterID), Reporter: nonEmpty(r.Reporter), Reason: string(r.Reason), Text: r.Words, CreatedAt: moment(r.CreatedAt)}
	})
	return out, nil
}

// AdminDecideReport implements adminDecideReport.
func (h *handler) AdminDecideReport(ctx context.Context, r *ext.AdminDecideReportReq, p ext.AdminDecideReportParams) (*ext.AdminReport, error) {
	c, err := h.app.Moderation.Decide(ctx, operator(ctx), moderation.CaseID(p.ID), moderation.Decision{Outcome: moderation.Outcome(r.Outcome), Text: r.Text.Or(""), Hide: r.Hide.Or(false)})
	if err != nil {
		return nil, err
	}
	return new(adminReport(c)), nil
}

// AdminListHidden implements adminListHidden.
func (h *handler) AdminListHidden(ctx context.Context, p ext.AdminListHiddenParams) (*ext.AdminHiddenList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Moderation.HiddenSubjects(ctx, operator(ctx), moderation.HiddenID(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminHiddenList{}
	out.Data, out.NextCursor = listed(all, at, func(s moderation.HiddenSubject) string { return numbered(s.ID) }, adminHidden)
	return out, nil
}

func adminHidden(s moderation.HiddenSubject) ext.AdminHidden {
	return ext.AdminHidden{ID: int64(s.ID), About: subjectOf(s.About), OwnerID: nilID(s.OwnerID), Owner: nonEmpty(s.Owner), CreatedAt: moment(s.CreatedAt)}
}

// hiddenID returns the id of an entry of the list of hidden content, null for nil.
func hiddenID(s *moderation.HiddenSubject) ext.NilInt64 {
	if s == nil {
		return ext.NilInt64{Null: true}
	}
	return nilID(s.ID)
}

// AdminHide implements adminHide.
func (h *handler) AdminHide(ctx context.Context, r *ext.AdminHideReq) (*ext.AdminHidden, error) {
	s, err := h.app.Moderation.Hide(ctx, operator(ctx), moderation.HideInput{About: domain.Subject{Type: domain.SubjectType(r.Type), ID: r.ID}, Text: r.Text.Or("")})
	if err != nil {
		return nil, err
	}
	return new(adminHidden(s)), nil
}

// AdminShow implements adminShow.
func (h *handler) AdminShow(ctx context.Context, p ext.AdminShowParams) error {
	_, err := h.app.Moderation.Show(ctx, operator(ctx), moderation.HiddenID(p.ID), p.Text.Or(""))
	return err
}

// AdminLook implements adminLook.
func (h *handler) AdminLook(ctx context.Context, p ext.AdminLookParams) (*ext.AdminLook, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	page := domain.Page{Number: cmp.Or(at.at, 1), Per: int64(at.limit)}
	l, err := h.app.Moderation.Look(ctx, operator(ctx), domain.Subject{Type: domain.SubjectType(p.Type), ID: p.ID}, moderation.Words, page)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminLook{About: subjectOf(l.About), OwnerID: nilID(l.Owner), Excerpt: l.Text, HiddenID: hiddenID(l.Hidden), Item: encode(h.entity(httpedge.Actor(ctx), l.What)),
		Contents: make([]wire.JSON, len(l.Contents.Items)), NextCursor: nonEmpty("")}
	for i := range l.Contents.Items {
		out.Contents[i] = encode(h.item(l.Contents.Items[i]))
	}
	if page.Number*page.Per < l.Contents.Total {
		out.NextCursor = nonEmpty(numbered(page.Number + 1))
	}
	return out, nil
}

// AdminListBlocklist implements adminListBlocklist.
func (h *handler) AdminListBlocklist(ctx context.Context, p ext.AdminListBlocklistParams) (*ext.AdminBlockedList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Moderation.Blocklist(ctx, operator(ctx), at.at, at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminBlockedList{}
	out.Data, out.NextCursor = listed(all, at, func(b moderation.Blocked) string { return numbered(b.ID) }, adminBlocked)
	return out, nil
}

func adminBlocked(b moderation.Blocked) ext.AdminBlocked {
	return ext.AdminBlocked{ID: b.ID, Kind: ext.AdminBlockedKind(b.Kind), Value: b.Value, Note: b.Note, CreatedAt: moment(b.CreatedAt)}
}

// AdminBlock implements adminBlock.
func (h *handler) AdminBlock(ctx context.Context, r *ext.AdminBlockReq) (ext.AdminBlockRes, error) {
	b, added, err := h.app.Moderation.AddToBlocklist(ctx, operator(ctx), moderation.BlockInput{Kind: moderation.BlockKind(r.Kind), Value: r.Value, Note: r.Note.Or("")})
	if err != nil {
		return nil, err
	}
	if !added {
		return new(ext.AdminBlockOK(adminBlocked(b))), nil
	}
	return new(ext.AdminBlockCreated(adminBlocked(b))), nil
}

// AdminUnblock implements adminUnblock.
func (h *handler) AdminUnblock(ctx context.Context, p ext.AdminUnblockParams) error {
	_, err := h.app.Moderation.RemoveFromBlocklist(ctx, operator(ctx), p.ID)
	return err
}

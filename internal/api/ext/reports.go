package ext

import (
	"context"

	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
)

// CreateReport implements createReport.
func (h *handler) CreateReport(ctx context.Context, r *ext.CreateReportReq) error {
	return h.app.Moderation.Report(ctx, httpedge.Actor(ctx), moderation.ReportInput{
		About: domain.Subject{Type: domain.SubjectType(r.Type), ID: r.ID}, Reason: moderation.Reason(r.Reason), Text: r.Text.Or("")})
}

package ext

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// Downloads reports whether the response to a request is a file: see httpedge.Handler.
func Downloads(r *http.Request) bool { return isExport(r) || isChanges(r) }

// isExport reports whether a request is for an export.
func isExport(r *http.Request) bool {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/ext/v1/"), "/")
	return len(parts) == 3 && (parts[0] == "channels" && parts[2] == "export" || parts[0] == "exports" && parts[2] == "file")
}

// ExportChannel implements exportChannel.
func (h *handler) ExportChannel(ctx context.Context, p ext.ExportChannelParams, w http.ResponseWriter) error {
	format := exporting.Format(p.Format)
	return httpedge.Stream(ctx, w, func(begin func(filename, contentType string) io.Writer) error {
		return h.exports.Channel(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), format, nil, begin)
	})
}

// GetReceipt implements getReceipt.
func (h *handler) GetReceipt(ctx context.Context, p ext.GetReceiptParams) (*ext.Receipt, error) {
	r, err := h.app.Accounts.Receipt(ctx, p.Code)
	if err != nil {
		return nil, err
	}
	return new(showReceipt(r)), nil
}

func showReceipt(r domain.DataReceipt) ext.Receipt {
	counts, _ := json.Marshal(r.Counts) // numbers
	return ext.Receipt{Code: r.Code, Kind: ext.ReceiptKind(r.Kind), Counts: counts, ByOperator: r.ByOperator, AskedAt: moment(r.AskedAt), DoneAt: instant(r.DoneAt)}
}

// ListExports implements listExports.
func (h *handler) ListExports(ctx context.Context) (*ext.ExportList, error) {
	all, err := h.app.Transfer.Exports(ctx, httpedge.Actor(ctx))
	if err != nil {
		return nil, err
	}
	w := &ext.ExportList{Data: make([]ext.Export, len(all))}
	for n := range all {
		w.Data[n] = *h.showExport(&all[n])
	}
	return w, nil
}

// StartExport implements startExport.
func (h *handler) StartExport(ctx context.Context) (*ext.Export, error) {
	e, err := h.app.Transfer.StartExport(ctx, httpedge.Actor(ctx))
	if err != nil {
		return nil, err
	}
	httpedge.SetLocation(ctx, h.at.API+h.at.Export(&e).Links()[0].Path)
	return h.showExport(&e), nil
}

// GetExport implements getExport.
func (h *handler) GetExport(ctx context.Context, p ext.GetExportParams) (*ext.Export, error) {
	e, err := h.app.Transfer.Export(ctx, httpedge.Actor(ctx), domain.ExportID(p.ID))
	if err != nil {
		return nil, err
	}
	return h.showExport(&e), nil
}

// DeleteExport implements deleteExport.
func (h *handler) DeleteExport(ctx context.Context, p ext.DeleteExportParams) error {
	return h.app.Transfer.DeleteExport(ctx, httpedge.Actor(ctx), domain.ExportID(p.ID))
}

// GetExportFile implements getExportFile.
func (h *handler) GetExportFile(ctx context.Context, p ext.GetExportFileParams, w http.ResponseWriter) error {
	e, f, err := h.app.Transfer.OpenExport(ctx, httpedge.Actor(ctx), domain.ExportID(p.ID))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r := (&http.Request{Method: http.MethodGet, Header: http.Header{}}).WithContext(ctx)
	for name, value := range map[string]ext.OptString{"Range": p.Range, "If-Range": p.IfRange} {
		if value.Set {
			r.Header.Set(name, value.Value)
		}
	}
	httpedge.ServeExport(w, r, h.at.Export(&e), f, httpedge.JSON.Render)
	return nil
}

func (h *handler) showExport(e *domain.Export) *ext.Export {
	at, c := h.at.Export(e), e.Counts
	return &ext.Export{ID: int64(e.ID), Type: ext.ExportTypeExport, State: ext.ExportState(e.State),
		Progress: ext.ExportProgress{Items: c.Expected, ItemsDone: c.Done},
		Counts:   ext.ExportCounts{Channels: c.Channels, Blocks: c.Blocks, Files: c.Files, Bytes: c.Bytes, LeftOut: c.LeftOut},
		Size:     e.Size, FileURL: nonEmpty(at.FileURL()), CreatedAt: wire.Time{Time: e.CreatedAt}, EndedAt: instant(e.EndedAt),
		ExpiresAt: wire.Time{Time: e.ExpiresAt}, WebURL: at.URL(), Links: h.links(at.Links())}
}

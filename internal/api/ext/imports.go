package ext

import (
	"context"
	"time"

	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
	"vitrine/internal/site/catalog"
)

// ListImports implements listImports.
func (h *handler) ListImports(ctx context.Context, p ext.ListImportsParams) (*ext.ImportList, error) {
	page := httpedge.Page(p.Page, p.Per)
	l, err := h.app.Transfer.Imports(ctx, httpedge.Actor(ctx), page)
	if err != nil {
		return nil, err
	}
	w := &ext.ImportList{Data: make([]ext.Import, len(l.Items)), Meta: meta(page, l.Total)}
	for n := range l.Items {
		w.Data[n] = *h.showImport(&l.Items[n])
	}
	return w, nil
}

// StartImport implements startImport.
func (h *handler) StartImport(ctx context.Context, r *ext.StartImportReq) (*ext.Import, error) {
	i, err := h.app.Transfer.StartImport(ctx, httpedge.Actor(ctx), transfer.StartImportInput{
		Source: domain.ImportSource(r.Source), Address: r.Address.Or(""), Token: r.Token.Or(""), What: r.What,
		Upload: r.UploadKey.Or(""), Encoding: r.Encoding.Or(""), Visibility: domain.Visibility(r.Visibility.Or("")),
		IntoVisible: r.IntoVisible.Or(false)})
	if err != nil {
		return nil, err
	}
	httpedge.SetLocation(ctx, h.at.API+h.at.Import(&i).Links()[0].Path)
	return h.showImport(&i), nil
}

// GetImport implements getImport.
func (h *handler) GetImport(ctx context.Context, p ext.GetImportParams) (*ext.Import, error) {
	r, err := h.app.Transfer.Import(ctx, httpedge.Actor(ctx), domain.ImportID(p.ID))
	if err != nil {
		return nil, err
	}
	w := h.showImport(&r.Import)
	if !r.State.Live() {
		w.Summary.SetTo(catalog.English().Imported(catalog.ImportSummary{Counts: r.Counts, File: r.File, Skipped: r.LeftOut}))
	}
	if r.File.Format != "" {
		w.Format.SetTo(r.File.Format)
		if r.File.Encoding != "" {
			w.Encoding.SetTo(r.File.Encoding)
		}
	}
	w.Channels = make([]ext.ImportChannel, len(r.Channels))
	for n, c := range r.Channels {
		w.Channels[n] = ext.ImportChannel{Name: c.Ref, Title: c.Title, State: ext.ImportChannelState(c.State), Counts: importCounts(c.Counts)}
	}
	w.LeftOut = make([]ext.ImportLeftOut, len(r.LeftOut))
	for n, l := range r.LeftOut {
		w.LeftOut[n] = ext.ImportLeftOut{What: l.What, Where: l.Where, Why: l.Why}
	}
	return w, nil
}

// StopImport implements stopImport.
func (h *handler) StopImport(ctx context.Context, p ext.StopImportParams) error {
	return h.app.Transfer.StopImport(ctx, httpedge.Actor(ctx), domain.ImportID(p.ID))
}

func (h *handler) showImport(i *domain.Import) *ext.Import {
	at := h.at.Import(i)
	what := i.What
	if what == nil {
		what = []string{}
	}
	return &ext.Import{ID: int64(i.ID), Type: ext.ImportTypeImport, Source: ext.ImportSource(i.Source), Address: nonEmpty(i.Address),
		What: what, File: nonEmpty(i.FileName), Visibility: ext.ImportVisibility(i.Visibility), IntoVisible: i.IntoVisible, State: ext.ImportState(i.State),
		Reason:   nilString(i.Reason),
		Progress: ext.ImportProgress{Channels: i.Steps, ChannelsDone: i.StepsDone, Items: i.Counts.Expected, ItemsDone: i.Counts.Done},
		Counts:   importCounts(i.Counts), CreatedAt: wire.Time{Time: i.CreatedAt}, StartedAt: instant(i.StartedAt), EndedAt: instant(i.EndedAt),
		WebURL: at.URL(), Links: h.links(at.Links())}
}

func importCounts(c domain.ImportCounts) ext.ImportCounts {
	return ext.ImportCounts{Channels: c.Channels, Blocks: c.Blocks, Connections: c.Connections, Comments: c.Comments, Files: c.Files,
		Bytes: c.Bytes, Unchanged: c.Unchanged, Changed: c.Changed, Moved: c.Moved, LeftOut: c.LeftOut}
}

// instant converts nil to null.
func instant(t *time.Time) wire.Time {
	if t == nil {
		return wire.Time{}
	}
	return wire.Time{Time: *t}
}

package ext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// Streams reports whether the handler of a request reads its body as a stream: see httpedge.Handler.
func Streams(r *http.Request) bool {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/ext/v1/"), "/")
	return r.Method == http.MethodPost && (len(parts) == 1 && parts[0] == "snapshots" ||
		len(parts) == 3 && parts[0] == "blocks" && parts[2] == "snapshots")
}

// ListSnapshots implements listSnapshots.
func (h *handler) ListSnapshots(ctx context.Context, p ext.ListSnapshotsParams) (*ext.SnapshotList, error) {
	b, err := h.app.Collections.Block(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return nil, err
	}
	all, err := h.app.Content.BlockSnapshots(ctx, httpedge.Actor(ctx), b)
	if err != nil {
		return nil, err
	}
	out := &ext.SnapshotList{Data: make([]ext.Snapshot, len(all))}
	for i, s := range all {
		out.Data[i] = *h.snapshot(s)
	}
	return out, nil
}

// AddSnapshot implements addSnapshot.
func (h *handler) AddSnapshot(ctx context.Context, p ext.AddSnapshotParams) (*ext.Snapshot, error) {
	r := httpedge.Upload(ctx)
	s, err := h.app.Content.AddSnapshot(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), content.SnapshotInput{
		Kind: domain.SnapshotPage, Source: domain.FromBrowser, TakenAt: p.TakenAt.Or(time.Time{}), Address: p.URL.Or(""), Title: p.Title.Or(""),
		ContentType: r.Header.Get("Content-Type"), Shared: p.Shared.Or(false), Length: r.ContentLength, Body: r.Body})
	return h.added(ctx, s, err)
}

// maxSavedFields is the maximum number of bytes of the fields of a form of savePage and of their headers.
const maxSavedFields = 64 << 10

// SavePage implements savePage.
func (h *handler) SavePage(ctx context.Context, p ext.SavePageParams) (*ext.Snapshot, error) {
	r, actor := httpedge.Upload(ctx), httpedge.Actor(ctx)
	limit := h.app.Content.SnapshotLimit() + maxSavedFields
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	r.Body = http.MaxBytesReader(nil, r.Body, limit)
	form, err := r.MultipartReader()
	if err != nil {
		return nil, domain.InvalidField("body", domain.FieldMalformed, "must be a multipart form")
	}
	var staged *content.StagedSnapshot
	address := ""
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, unreadableForm(err)
		}
		switch name := part.FormName(); {
		case name == "file" && staged == nil:
			staged, err = h.app.Content.StageSnapshot(ctx, actor, content.SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromBrowser,
				ContentType: part.Header.Get("Content-Type"), Length: -1, Body: part})
			if err == nil {
				defer staged.Discard()
			}
		case name == "url" && address == "":
			var text []byte
			if text, err = io.ReadAll(io.LimitReader(part, domain.MaxURL+1)); err != nil {
				err = unreadableForm(err)
			}
			address = string(text)
		}
		if err != nil {
			return nil, err
		}
	}
	if staged == nil {
		return nil, domain.InvalidField("file", domain.FieldBlank, "must be the page")
	}
	s, err := h.app.Collections.SavePage(ctx, actor, address, p.Channel.Or(""), staged)
	return h.added(ctx, s, err)
}

// unreadableForm returns the error for a form that ended too early, is too large or arrives too slowly.
func unreadableForm(err error) error {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return domain.Wrap(domain.Timeout, "The body came too slowly", err)
	}
	return domain.Wrap(domain.Invalid, "The body ended before its time", err)
}

// GetSnapshot implements getSnapshot.
func (h *handler) GetSnapshot(ctx context.Context, p ext.GetSnapshotParams) (*ext.Snapshot, error) {
	s, _, err := h.app.Content.Snapshot(ctx, httpedge.Actor(ctx), domain.SnapshotID(p.ID))
	if err != nil {
		return nil, err
	}
	out := h.snapshot(s)
	out.Missing = make([]ext.SnapshotMissingItem, len(s.Missing))
	for i, m := range s.Missing {
		out.Missing[i] = ext.SnapshotMissingItem{URL: m.Address, Reason: m.Reason}
	}
	return out, nil
}

// ShareSnapshot implements shareSnapshot.
func (h *handler) ShareSnapshot(ctx context.Context, req *ext.ShareSnapshotReq, p ext.ShareSnapshotParams) (*ext.Snapshot, error) {
	s, err := h.app.Content.ShareSnapshot(ctx, httpedge.Actor(ctx), domain.SnapshotID(p.ID), req.Shared)
	if err != nil {
		return nil, err
	}
	return h.snapshot(s), nil
}

// DeleteSnapshot implements deleteSnapshot.
func (h *handler) DeleteSnapshot(ctx context.Context, p ext.DeleteSnapshotParams) error {
	return h.app.Content.DeleteSnapshot(ctx, httpedge.Actor(ctx), domain.SnapshotID(p.ID))
}

func (h *handler) added(ctx context.Context, s domain.Snapshot, err error) (*ext.Snapshot, error) {
	if err != nil {
		return nil, err
	}
	httpedge.SetLocation(ctx, fmt.Sprintf("%s/ext/v1/snapshots/%d", h.at.API, s.ID))
	return h.snapshot(s), nil
}

func (h *handler) snapshot(s domain.Snapshot) *ext.Snapshot {
	return &ext.Snapshot{ID: int64(s.ID), Type: ext.SnapshotTypeSnapshot, BlockID: int64(s.Block), Kind: ext.SnapshotKind(s.Kind),
		Source: ext.SnapshotSource(s.Source), Shared: s.Shared, Size: s.Size, Title: s.Title, URL: s.Address, MissingCount: s.Omitted,
		TakenAt: wire.Time{Time: s.TakenAt}, CreatedAt: wire.Time{Time: s.CreatedAt}, WebURL: h.at.Site + present.SnapshotPath(s)}
}

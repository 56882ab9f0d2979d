package ext

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"vitrine/internal/app/reading"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/present"
)

// annotationPage is a page of highlights in the Web Annotation Data Model.
type annotationPage struct {
	Context    string               `json:"@context"`
	ID         string               `json:"id"`
	Type       string               `json:"type"`
	PartOf     annotationCollection `json:"partOf"`
	StartIndex int64                `json:"startIndex"`
	Next       string               `json:"next,omitempty"`
	Prev       string               `json:"prev,omitempty"`
	Items      []present.Annotation `json:"items"`
}

type annotationCollection struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Total int64  `json:"total"`
}

// ListHighlights implements listHighlights.
func (h *handler) ListHighlights(ctx context.Context, p ext.ListHighlightsParams, w http.ResponseWriter) error {
	at := domain.Page{Number: p.Page.Or(1), Per: p.Per.Or(24)}
	l, err := h.app.Reading.Highlights(ctx, httpedge.Actor(ctx), at)
	if err != nil {
		return err
	}
	all := h.at.API + "/ext/v1/highlights"
	page := func(n int64) string { return fmt.Sprintf("%s?page=%d&per=%d", all, n, at.Per) }
	out := h.annotations(all, page(at.Number), l.Items)
	out.PartOf.Total, out.StartIndex = l.Total, at.Offset()
	if at.Offset()+at.Per < l.Total {
		out.Next = page(at.Number + 1)
	}
	if at.Number > 1 {
		out.Prev = page(at.Number - 1)
	}
	return annotated(w, http.StatusOK, out)
}

// ListBlockHighlights implements listBlockHighlights.
func (h *handler) ListBlockHighlights(ctx context.Context, p ext.ListBlockHighlightsParams, w http.ResponseWriter) error {
	all, err := h.app.Reading.HighlightsOn(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID))
	if err != nil {
		return err
	}
	at := fmt.Sprintf("%s/ext/v1/blocks/%d/highlights", h.at.API, p.ID)
	return annotated(w, http.StatusOK, h.annotations(at, at, all))
}

// GetHighlight implements getHighlight.
func (h *handler) GetHighlight(ctx context.Context, p ext.GetHighlightParams, w http.ResponseWriter) error {
	one, err := h.app.Reading.Highlight(ctx, httpedge.Actor(ctx), domain.HighlightID(p.ID))
	if err != nil {
		return err
	}
	return annotated(w, http.StatusOK, h.at.Annotation(one.Highlight, one.On))
}

// CreateHighlight implements createHighlight.
func (h *handler) CreateHighlight(ctx context.Context, r *ext.CreateHighlightReq, p ext.CreateHighlightParams, w http.ResponseWriter) error {
	in := reading.HighlightInput{Note: r.Body.Value.Value}
	for _, s := range r.Target.Selector {
		switch {
		case s.Type == ext.TextSelectorTypeTextPositionSelector:
			in.Quote.Start, in.Quote.End = int(s.Start.Value), int(s.End.Value)
		case in.Quote.Exact == "":
			in.Quote.Exact, in.Quote.Prefix, in.Quote.Suffix = s.Exact.Value, s.Prefix.Value, s.Suffix.Value
		}
	}
	one, _, err := h.app.Reading.AddHighlight(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), in)
	if err != nil {
		return err
	}
	httpedge.SetLocation(ctx, h.at.Highlight(one.ID))
	return annotated(w, http.StatusCreated, h.at.Annotation(one.Highlight, one.On))
}

// UpdateHighlight implements updateHighlight.
func (h *handler) UpdateHighlight(ctx context.Context, r *ext.UpdateHighlightReq, p ext.UpdateHighlightParams, w http.ResponseWriter) error {
	one, err := h.app.Reading.ChangeNote(ctx, httpedge.Actor(ctx), domain.HighlightID(p.ID), reading.NoteInput{Note: r.Body.Value.Value})
	if err != nil {
		return err
	}
	return annotated(w, http.StatusOK, h.at.Annotation(one.Highlight, one.On))
}

// DeleteHighlight implements deleteHighlight.
func (h *handler) DeleteHighlight(ctx context.Context, p ext.DeleteHighlightParams) error {
	return h.app.Reading.DeleteHighlight(ctx, httpedge.Actor(ctx), domain.HighlightID(p.ID))
}

// annotations returns highlights as a page of a collection.
func (h *handler) annotations(collection, page string, all []reading.Highlight) annotationPage {
	out := annotationPage{Context: present.AnnotationContext, ID: page, Type: "AnnotationPage", Items: make([]present.Annotation, len(all)),
		PartOf: annotationCollection{collection, "AnnotationCollection", int64(len(all))}}
	for i, one := range all {
		out.Items[i] = h.at.Annotation(one.Highlight, one.On)
		out.Items[i].Context = ""
	}
	return out
}

// annotated writes a response in the Web Annotation Data Model.
func annotated(w http.ResponseWriter, status int, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", present.AnnotationType)
	w.WriteHeader(status)
	_, err = w.Write(append(text, '\n'))
	return err
}

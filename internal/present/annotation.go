package present

import (
	"strconv"
	"time"

	"vitrine/internal/domain"
)

// AnnotationContext is the JSON-LD context of the W3C's Web Annotation Data Model, and AnnotationType its media type.
const (
	AnnotationContext = "http://www.w3.org/ns/anno.jsonld"
	AnnotationType    = `application/ld+json; profile="` + AnnotationContext + `"`
)

// Annotation is a highlight in the W3C's Web Annotation Data Model. Context is empty in a list, which has it itself.
type Annotation struct {
	Context    string           `json:"@context,omitempty"`
	ID         string           `json:"id"`
	Type       string           `json:"type"`
	Motivation string           `json:"motivation"`
	Created    time.Time        `json:"created"`
	Modified   time.Time        `json:"modified"`
	Body       *AnnotationBody  `json:"body,omitempty"`
	Target     AnnotationTarget `json:"target"`
}

// AnnotationBody is the note about a highlight.
type AnnotationBody struct {
	Type    string `json:"type"`
	Value   string `json:"value"`
	Format  string `json:"format"`
	Purpose string `json:"purpose"`
}

// AnnotationTarget is a passage of the text of a block.
type AnnotationTarget struct {
	Source   string `json:"source"`
	Selector [2]any `json:"selector"`
}

// QuoteSelector selects a passage by its words.
type QuoteSelector struct {
	Type   string `json:"type"`
	Exact  string `json:"exact"`
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`
}

// PositionSelector selects a passage by its characters.
type PositionSelector struct {
	Type  string `json:"type"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Annotation returns a highlight of a block as an annotation.
func (a *Addresses) Annotation(h domain.Highlight, on *domain.Block) Annotation {
	out := Annotation{Context: AnnotationContext, ID: a.Highlight(h.ID), Type: "Annotation", Motivation: "highlighting",
		Created: h.CreatedAt.UTC(), Modified: h.UpdatedAt.UTC(), Target: AnnotationTarget{Source: a.Block(on).URL(), Selector: [2]any{
			QuoteSelector{"TextQuoteSelector", h.Quote.Exact, h.Quote.Prefix, h.Quote.Suffix}, PositionSelector{"TextPositionSelector", h.Quote.Start, h.Quote.End}}}}
	if h.Note != "" {
		out.Motivation, out.Body = "commenting", &AnnotationBody{"TextualBody", h.Note, "text/plain", "commenting"}
	}
	return out
}

// Highlight returns the address of a highlight in the API.
func (a *Addresses) Highlight(id domain.HighlightID) string {
	return a.API + "/ext/v1/highlights/" + strconv.FormatInt(int64(id), 10)
}

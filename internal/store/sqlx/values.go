package sqlx

import (
	"time"

	"vitrine/internal/domain"
)

// Micros returns a time in the form that the database stores.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// Time is the inverse of Micros.
func Time(us int64) time.Time { return time.UnixMicro(us).UTC() }

// TimePtr is Time for a column that may be null.
func TimePtr(us *int64) *time.Time {
	if us == nil {
		return nil
	}
	t := Time(*us)
	return &t
}

// OrNull returns the argument for an id, NULL if it is 0.
func OrNull[T ~int64](id T) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

// TextColumns are the three columns of an optional rendered text.
type TextColumns struct{ Markdown, HTML, Plain *string }

// Value returns the text, nil if it is absent.
func (t TextColumns) Value() *domain.Text {
	if t.Markdown == nil {
		return nil
	}
	return &domain.Text{Markdown: *t.Markdown, HTML: *t.HTML, Plain: *t.Plain}
}

// TextOf returns the columns of a text, for writing them.
func TextOf(t *domain.Text) TextColumns {
	if t == nil {
		return TextColumns{}
	}
	return TextColumns{&t.Markdown, &t.HTML, &t.Plain}
}

// MetadataOf returns the value of the metadata column, which is null for empty metadata.
func MetadataOf(m domain.Metadata) *string {
	if m == "" {
		return nil
	}
	return (*string)(&m)
}

// MetadataValue is the inverse of MetadataOf.
func MetadataValue(s *string) domain.Metadata {
	if s == nil {
		return ""
	}
	return domain.Metadata(*s)
}

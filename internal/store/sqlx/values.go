package sqlx

import (
	"time"

	"vitrine/internal/domain"
)

// Micros is a time as the database keeps it.
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

// OrNull binds an id, 0 as NULL.
func OrNull[T ~int64](id T) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

// TextColumns are the three columns of a rendered text that may be absent.
type TextColumns struct{ Markdown, HTML, Plain *string }

// Value is the text that was read, nil if it is absent.
func (t TextColumns) Value() *domain.Text {
	if t.Markdown == nil {
		return nil
	}
	return &domain.Text{Markdown: *t.Markdown, HTML: *t.HTML, Plain: *t.Plain}
}

// TextOf gives the columns of a text, for writing them.
func TextOf(t *domain.Text) TextColumns {
	if t == nil {
		return TextColumns{}
	}
	return TextColumns{&t.Markdown, &t.HTML, &t.Plain}
}

// MetadataOf gives the column of metadata, which is null for none.
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

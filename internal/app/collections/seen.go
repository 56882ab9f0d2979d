package collections

import (
	"strings"

	"vitrine/internal/domain"
)

// Seen contains texts of a block or channel as the user saw them before changing them, by field. Fields that it does
// not contain are not compared.
type Seen map[string]string

// compare adds a fault if the stored text of a changed field is neither the one that the user saw nor the new one, which
// is nil if the field stays unchanged.
func (s Seen) compare(f *domain.Faults, field string, stored, wanted *string) {
	seen, ok := s[field]
	if !ok || wanted == nil {
		return
	}
	is := ""
	if stored != nil {
		is = formText(*stored)
	}
	if is != formText(seen) && is != formText(*wanted) {
		f.Add(field, domain.FieldIncorrect, "was changed in the meantime: save again to replace the other text")
	}
}

// formText returns a text as forms send it, whose line breaks browsers normalize.
func formText(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// markdown returns the source of a text, or nil.
func markdown(t *domain.Text) *string {
	if t == nil {
		return nil
	}
	return &t.Markdown
}

package present

import (
	"strconv"

	"vitrine/internal/domain"
)

// Import is a view of an import.
type Import struct {
	*domain.Import
	at *Addresses
}

// Import returns a view of an import.
func (a *Addresses) Import(i *domain.Import) Import { return Import{i, a} }

// Path returns the path of the import's page.
func (i Import) Path() string { return "/settings/import/" + strconv.FormatInt(int64(i.ID), 10) }

// URL returns the address of the import's page.
func (i Import) URL() string { return i.at.Site + i.Path() }

// Whole and Part return the progress of the import, for a meter: by items if their number is
// known, otherwise by channels.
func (i Import) Whole() int64 {
	if i.Counts.Expected > 0 {
		return i.Counts.Expected
	}
	return max(i.Steps, 1)
}

// Part returns how much of Whole is done.
func (i Import) Part() int64 {
	switch {
	case i.State == domain.ImportDone:
		return i.Whole()
	case i.Counts.Expected > 0:
		return min(i.Counts.Done, i.Whole())
	}
	return i.StepsDone
}

// Links returns the import's relations: self.
func (i Import) Links() []Rel {
	return []Rel{{"self", "/ext/v1/imports/" + strconv.FormatInt(int64(i.ID), 10)}}
}

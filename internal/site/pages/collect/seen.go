package collect

import (
	"errors"
	"slices"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// seenPrefix begins the names of hidden fields with the texts that the user saw, "was_title" for example.
const seenPrefix = "was_"

// given returns the value of a posted field, or nil if the form did not contain it.
func given(f *web.Form, name string) *string {
	if f.Values(name) == nil {
		return nil
	}
	return new(f.Get(name))
}

// seen returns the posted texts that the user saw. fields alternates names and the ids of their labels.
func seen(f *web.Form, fields []string) collections.Seen {
	all := collections.Seen{}
	for i := 0; i+1 < len(fields); i += 2 {
		if text := given(f, seenPrefix+fields[i]); text != nil {
			all[fields[i]] = *text
		}
	}
	return all
}

// storedTexts are the stored values of a form's text fields by name.
type storedTexts map[string]string

// fill sets the fields that were not posted, for forms that change only some.
func (s storedTexts) fill(f *web.Form) {
	for name, text := range s {
		f.Default(name, text)
	}
}

// replaced returns the stored texts that conflict with the posted ones, for the user to compare.
func (s storedTexts) replaced(v *web.Visit, err error, fields []string) (all []typed) {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return nil
	}
	for i := 0; i+1 < len(fields); i += 2 {
		name := fields[i]
		if slices.ContainsFunc(known.Fields, func(fault domain.FieldError) bool { return fault.Path == name }) {
			all = append(all, typed{name, v.T("collect.replaced", v.T(fields[i+1])), s[name]})
		}
	}
	return all
}

// conflicting reports whether someone changed the texts in the meantime.
func conflicting(err error) bool { return err != nil && domain.KindOf(err) == domain.Conflict }

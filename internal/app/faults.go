package app

import (
	"errors"

	"vitrine/internal/domain"
)

// faults are violations of a request, each as "field: why", gathered so that one
// error can name them all.
type faults []string

// add takes over the violations of an Invalid error, with a prefix such as
// "blocks[3]." before their fields. Any other error it gives back.
func (f *faults) add(prefix string, err error) error {
	invalid, ok := errors.AsType[*domain.Error](err)
	if !ok || invalid.Kind != domain.Invalid {
		return err
	}
	for _, field := range invalid.Fields {
		*f = append(*f, prefix+field)
	}
	return nil
}

// together makes one Invalid error of several. Any other error among them it gives alone.
func together(errs ...error) error {
	var all faults
	for _, err := range errs {
		if err := all.add("", err); err != nil {
			return err
		}
	}
	return all.err()
}

// err is the error that names them, nil if there are none.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return domain.NewInvalid(f...)
}

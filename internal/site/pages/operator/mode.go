package operator

import (
	"time"

	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// modePath is the path of the read-only mode.
const modePath = "/operator/read-only"

// modePage shows the form for the read-only mode.
func modePage(v *web.Visit) error { return showMode(v, nil) }

func showMode(v *web.Visit, f *web.Form) error {
	mode, err := v.App().Operating.ReadOnly(v.R.Context())
	if err != nil {
		return err
	}
	if f == nil && mode != nil {
		f = web.Filled("reason", mode.Reason, "until", fieldTime(mode.Until))
	}
	return v.Page("read-only", v.T("operator.title.read-only"), f, struct{ Mode *domain.ReadOnly }{mode})
}

// changeMode begins or ends the read-only mode.
func changeMode(v *web.Visit) error {
	f, ctx := v.Form(), v.R.Context()
	switch f.Get("do") {
	case "off":
		if _, err := v.App().Operating.EndReadOnly(ctx, operatorOf(v)); err != nil {
			return err
		}
		return v.Done(modePath, "writable")
	case "on":
		in := operating.ReadOnlyInput{Reason: f.Trimmed("reason"), Until: until(f)}
		if f.Failed() {
			return showMode(v, f)
		}
		if _, err := v.App().Operating.BeginReadOnly(ctx, operatorOf(v), in); err != nil {
			if f.Refused(err, "reason", "until") {
				return showMode(v, f)
			}
			return err
		}
		return v.Done(modePath, "read-only")
	}
	return web.UnknownButton()
}

// fieldLayout is how browsers send the value of a field for a date and time.
const fieldLayout = "2006-01-02T15:04"

// fieldTime returns the value of a field for a date and time, which is in UTC.
func fieldTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(fieldLayout)
}

// until parses the field "until", nil if it is empty. It marks a wrong value.
func until(f *web.Form) *time.Time {
	text := f.Trimmed("until")
	if text == "" {
		return nil
	}
	at, err := time.Parse(fieldLayout, text)
	if err != nil {
		f.Wrong("until", "must be a date and time, such as 2026-12-24T18:00")
		return nil
	}
	return &at
}

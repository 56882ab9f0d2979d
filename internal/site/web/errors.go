package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/site/catalog"
)

// fail handles every error that is not shown in a form.
func (v *Visit) fail(err error) {
	switch {
	case errors.Is(err, accounts.ErrUnproved):
		err = v.AskToConfirm()
	case errors.Is(err, accounts.ErrRenewed):
		err = v.Redirect(v.Here()) // the browser may already have the new secret
	}
	if err == nil {
		return
	}
	e := httpedge.Errors{Write: func(_ http.ResponseWriter, _ *http.Request, status int, e *domain.Error) { v.refuse(status, e) }}
	e.Fail(v.R.Context(), v.W, v.R, err)
}

// refuse shows an error. Sign-in pages handle wrong credentials themselves, since a 401 would have
// to name an authentication scheme.
func (v *Visit) refuse(status int, e *domain.Error) {
	message := v.Lang.Fault(e.Message)
	if len(e.Fields) > 0 {
		lines := make([]string, len(e.Fields))
		for i, fault := range e.Fields {
			lines[i] = faultIn(v.Lang, fault)
		}
		message = strings.Join(lines, "; ")
	}
	switch e.Kind {
	case domain.Unauthenticated:
		status = http.StatusForbidden
	case domain.NotFound:
		message = v.T("web.error.nothing")
	case domain.TooLarge:
		message = v.T("web.error.too-large")
	case domain.TooMany:
		message = tooMany(v.Lang, e.Wait)
	}
	v.failure(status, message)
}

// failure shows a page with only an error message.
func (v *Visit) failure(status int, message string) {
	data := struct{ Message string }{Sentence(message)}
	title := ""
	if id := errorTitles[status]; id != "" {
		title = v.T(id)
	}
	v.pageSet = "" // use the error page of the frame
	if err := v.Render(status, "error", title, nil, data); err != nil {
		middleware.From(v.R.Context()).Error = err
		http.Error(v.W, message, status)
	}
}

// errorTitles are the headings of error pages. Others use the status text.
var errorTitles = map[int]string{
	http.StatusBadRequest:            "web.error.title.did-not-work",
	http.StatusForbidden:             "web.error.title.not-allowed",
	http.StatusNotFound:              "web.error.title.nothing-here",
	http.StatusMethodNotAllowed:      "web.error.title.method-not-allowed",
	http.StatusRequestTimeout:        "web.error.title.too-long",
	http.StatusConflict:              "web.error.title.did-not-work",
	http.StatusPreconditionFailed:    "web.error.title.did-not-work",
	http.StatusRequestEntityTooLarge: "web.error.title.large",
	http.StatusUnsupportedMediaType:  "web.error.title.did-not-work",
	http.StatusUnprocessableEntity:   "web.error.title.did-not-work",
	http.StatusTooManyRequests:       "web.error.title.too-many",
	http.StatusInternalServerError:   "web.error.title.went-wrong",
	http.StatusServiceUnavailable:    "web.error.title.unavailable",
}

// tooMany formats how long to wait, in whole minutes or hours.
func tooMany(lang *catalog.Language, wait time.Duration) string {
	minutes := int((wait + time.Minute - 1) / time.Minute)
	if minutes < 120 {
		return lang.Text("web.error.again-minutes", max(minutes, 1))
	}
	return lang.Text("web.error.again-hours", (minutes+59)/60)
}

// UnknownButton returns an error for a form without a known button.
func UnknownButton() error {
	return domain.InvalidField("", domain.FieldRequired, "The form does not say what to do")
}

// ID parses an id. An invalid one is NotFound.
func ID(s string) (int64, error) {
	id, _, ok := domain.IsID(s)
	if !ok {
		return 0, domain.NewNotFound()
	}
	return id, nil
}

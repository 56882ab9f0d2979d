package site

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// statuses of the kinds of errors. Sign-in pages answer themselves where credentials
// are wrong: 401 would have to name a scheme that a page does not have.
var statuses = map[domain.Kind]int{
	domain.Invalid:         http.StatusBadRequest,
	domain.Unauthenticated: http.StatusForbidden,
	domain.Forbidden:       http.StatusForbidden,
	domain.NotFound:        http.StatusNotFound,
	domain.Conflict:        http.StatusConflict,
	domain.Unprocessable:   http.StatusUnprocessableEntity,
	domain.Timeout:         http.StatusRequestTimeout,
	domain.TooLarge:        http.StatusRequestEntityTooLarge,
	domain.Unsupported:     http.StatusUnsupportedMediaType,
	domain.TooMany:         http.StatusTooManyRequests,
	domain.Unavailable:     http.StatusServiceUnavailable,
}

// fail is the only door through which errors leave that no form has taken up.
func (v *visit) fail(err error) {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		err = domain.Wrap(domain.TooLarge, "The form is larger than this server takes", err)
	} else if errors.Is(err, context.DeadlineExceeded) {
		err = domain.Wrap(domain.Timeout, "The request took too long", err)
	}
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || statuses[known.Kind] == 0 {
		middleware.From(v.r.Context()).Error = err
		v.s.Render(v.w, v.r, http.StatusInternalServerError, "")
		return
	}
	message := known.Message
	switch known.Kind {
	case domain.NotFound:
		message = "There is nothing at this address, or you may not see it."
	case domain.TooMany:
		message = tooMany(known.Wait)
		v.w.Header().Set("Retry-After", known.RetryAfter())
	case domain.Unavailable:
		middleware.From(v.r.Context()).Error = err
		v.w.Header().Set("Retry-After", known.RetryAfter())
	}
	v.failure(statuses[known.Kind], message)
}

// failure shows a page that says nothing but what went wrong.
func (v *visit) failure(status int, message string) {
	data := struct{ Message string }{sentence(message)}
	if err := v.render(status, "error", errorTitles[status], nil, data); err != nil {
		middleware.From(v.r.Context()).Error = err
		http.Error(v.w, message, status)
	}
}

// errorTitles are the headings of failures; others are called by their status.
var errorTitles = map[int]string{
	http.StatusBadRequest:            "That did not work",
	http.StatusForbidden:             "That is not allowed",
	http.StatusNotFound:              "Nothing here",
	http.StatusMethodNotAllowed:      "Not this way",
	http.StatusRequestTimeout:        "That took too long",
	http.StatusConflict:              "That did not work",
	http.StatusRequestEntityTooLarge: "Too large",
	http.StatusUnsupportedMediaType:  "That did not work",
	http.StatusUnprocessableEntity:   "That did not work",
	http.StatusTooManyRequests:       "Too many attempts",
	http.StatusInternalServerError:   "Something went wrong",
	http.StatusServiceUnavailable:    "Temporarily unavailable",
}

// tooMany says how long to wait, in whole minutes or hours.
func tooMany(wait time.Duration) string {
	const again = "Too many attempts. Try again in "
	minutes := int((wait + time.Minute - 1) / time.Minute)
	switch {
	case minutes <= 1:
		return again + "a minute."
	case minutes < 120:
		return again + strconv.Itoa(minutes) + " minutes."
	}
	return again + strconv.Itoa((minutes+59)/60) + " hours."
}

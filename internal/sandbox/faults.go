package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"vitrine/internal/domain"
)

// Limits of simulated failures.
const (
	maxFaults = 100
	maxTimes  = 1_000_000
	maxDelay  = 30 * time.Second
)

// Fault makes requests fail, for tests of how a client handles that.
type Fault struct {
	Method     string `json:"method,omitempty"`      // of the requests that fail; "" means all
	Path       string `json:"path,omitempty"`        // their paths begin with it; "" means all of the APIs
	Times      int    `json:"times"`                 // how many requests fail
	Status     int    `json:"status,omitempty"`      // 400 to 599; 0 means that the request succeeds after the delay
	RetryAfter int    `json:"retry_after,omitempty"` // seconds, for 429 and 503
	Delay      int    `json:"delay_ms,omitempty"`    // milliseconds before the response
	Cut        bool   `json:"cut,omitempty"`         // the connection ends without a response
}

func (f Fault) validate(field string, faults *domain.Faults) {
	bad := func(name, message string) { faults.Add(field+"."+name, domain.FieldShape, message) }
	if f.Path != "" && !strings.HasPrefix(f.Path, "/") {
		bad("path", "must begin with /")
	}
	if f.Times < 1 || f.Times > maxTimes {
		bad("times", fmt.Sprintf("must be from 1 to %d", maxTimes))
	}
	if f.Status != 0 && (f.Status < 400 || f.Status > 599) {
		bad("status", "must be from 400 to 599")
	}
	if f.RetryAfter < 0 || f.RetryAfter > 86400 {
		bad("retry_after", "must be from 0 to 86400")
	}
	if f.Delay < 0 || f.Delay > int(maxDelay/time.Millisecond) {
		bad("delay_ms", fmt.Sprintf("must be from 0 to %d", maxDelay/time.Millisecond))
	}
	if f.Status == 0 && f.Delay == 0 && !f.Cut {
		bad("status", "must be given unless delay_ms or cut is")
	}
	if f.Status != 0 && f.Cut {
		bad("cut", "must not be given with a status")
	}
}

func (f Fault) matches(r *http.Request) bool {
	return f.Times > 0 && (f.Method == "" || strings.EqualFold(f.Method, r.Method)) && strings.HasPrefix(r.URL.Path, f.Path)
}

// Faults are the failures that are left. The zero value has none.
type Faults struct {
	mu   sync.Mutex
	left []Fault
}

// Set replaces all failures.
func (f *Faults) Set(all []Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = all
}

// List returns the failures that are left.
func (f *Faults) List() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []Fault{}
	for _, one := range f.left {
		if one.Times > 0 {
			out = append(out, one)
		}
	}
	return out
}

// Take returns the first failure for a request, if any, and counts it.
func (f *Faults) Take(r *http.Request) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.left {
		if f.left[i].matches(r) {
			f.left[i].Times--
			return f.left[i], true
		}
	}
	return Fault{}, false
}

// ParseFaults parses the body of a request.
func ParseFaults(body []byte) ([]Fault, error) {
	var in struct {
		Faults []Fault `json:"faults"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return nil, domain.InvalidField("body", domain.FieldShape, "must be an object with a list of faults")
	}
	var found domain.Faults
	if len(in.Faults) > maxFaults {
		found.Add("faults", domain.FieldShape, fmt.Sprintf("must have at most %d entries", maxFaults))
	}
	for i, f := range in.Faults[:min(len(in.Faults), maxFaults)] {
		f.validate(fmt.Sprintf("faults[%d]", i), &found)
	}
	return in.Faults, found.Err()
}

package operator

import (
	"time"

	"vitrine/internal/doctor"
	"vitrine/internal/site/web"
)

// doctorPath is the path of the examination.
const doctorPath = "/operator/doctor"

// doctorView contains what a page load examines, and the last results of the costly checks.
type doctorView struct {
	Quick  doctor.Report
	Costly []doctor.Result
	At     time.Time // of Costly; zero for none
}

// doctorPage shows the cheap checks, and the last results of the others.
func doctorPage(v *web.Visit) error {
	shown := doctorView{Quick: v.Doctor().Cached(v.R.Context(), false)}
	shown.Costly, shown.At = v.Doctor().LastCostly()
	return v.Page("doctor", v.T("operator.title.doctor"), nil, shown)
}

// examine runs all checks.
func examine(v *web.Visit) error {
	v.Doctor().Cached(v.R.Context(), true)
	return v.Done(doctorPath, "examined")
}

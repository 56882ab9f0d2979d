package site

import (
	"runtime"

	"vitrine/internal/app"
)

// operatorView is what the server says of itself.
type operatorView struct {
	app.ServerFacts
	Version, Go string
}

// operatorPage shows what the server is and how it does.
func operatorPage(v *visit) error {
	facts, err := v.app().ServerFacts(v.r.Context(), v.actor())
	if err != nil {
		return err
	}
	return v.page("operator", "Server", nil, operatorView{facts, v.s.o.Version, runtime.Version()})
}

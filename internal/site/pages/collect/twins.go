package collect

import (
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// twinsOf returns the reader's blocks that are links to the page whose address was entered.
func twinsOf(v *web.Visit, value string) ([]web.Twin, error) {
	address, ok := core.AbsoluteURL(strings.TrimSpace(value))
	if !ok || len(address) > domain.MaxURL {
		return nil, nil
	}
	return v.Twins(domain.Block{Type: domain.LinkBlock, ValueURL: &address})
}

// twins shows the reader's blocks with the address that is entered in a form.
func twins(v *web.Visit) error {
	found, err := twinsOf(v, v.Form().Get("value"))
	if err != nil {
		return err
	}
	return v.Page("twins", v.T("collect.twins"), nil, found)
}

package look

import (
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// about shows one of the operator's pages, such as an imprint.
func about(v *web.Visit) error {
	page, err := v.App().Operating.LegalPage(v.R.Context(), v.Args[0])
	if err != nil {
		return err
	}
	v.Head = web.Head{Description: described(page.Body)}
	if v.App().Exposure.Indexes(domain.Public) {
		v.Head.Canonical = v.Addresses().Site + "/about/" + page.Slug
	}
	if v.Fresh(page.Slug, fmt.Sprint(page.Version), present.Machine(page.UpdatedAt)) {
		return nil
	}
	return v.Page("about", page.Title, nil, page)
}

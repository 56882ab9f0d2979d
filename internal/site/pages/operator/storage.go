package operator

import (
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// storageView is a page of users with their storage.
type storageView struct {
	domain.List[operating.StoredBy]
	Previous, Next string // addresses, "" for none
}

// storagePage lists users by storage, largest first.
func storagePage(v *web.Visit) error {
	page := pageOf(v)
	found, err := v.App().Operating.StorageByUser(v.R.Context(), v.Actor(), page)
	if err != nil {
		return err
	}
	shown, place := storageView{List: found}, present.Page{Page: page, Total: found.Total}
	shown.Previous = present.PageAddress("/operator/storage", nil, place.Prev())
	shown.Next = present.PageAddress("/operator/storage", nil, place.Next())
	return v.Page("operator-storage", v.T("operator.title.storage"), nil, shown)
}

package operator

import (
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// receiptsPer is the number of receipts per page.
const receiptsPer = 50

// receiptsView is a page of receipts.
type receiptsView struct {
	Receipts []domain.DataReceipt
	Older    string // address of the next page, "" for none
}

// receiptsPage lists the receipts of exports and erasures.
func receiptsPage(v *web.Visit) error {
	var below int64
	if v.Query("below") != "" {
		var err error
		if below, err = web.ID(v.Query("below")); err != nil {
			return err
		}
	}
	all, err := v.App().Operating.Receipts(v.R.Context(), operatorOf(v), domain.DataReceiptID(below), receiptsPer+1)
	if err != nil {
		return err
	}
	shown := receiptsView{Receipts: all}
	if len(all) > receiptsPer {
		shown.Receipts = all[:receiptsPer]
		shown.Older = fmt.Sprintf("/operator/receipts?below=%d", all[receiptsPer-1].ID)
	}
	return v.Page("receipts", v.T("operator.title.receipts"), nil, shown)
}

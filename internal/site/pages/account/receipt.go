package account

import (
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// receiptView is a receipt with the names of its counts.
type receiptView struct {
	domain.DataReceipt
	Named []namedCount
}

type namedCount struct {
	Name string
	N    string
}

// shownCount returns a count as text.
func shownCount(name string, n int64) string {
	if name == "bytes" {
		return domain.FormatBytes(n)
	}
	return strconv.FormatInt(n, 10)
}

// receiptPage shows the confirmation of an export or an erasure to anyone with its code.
func receiptPage(v *web.Visit) error {
	r, err := v.App().Accounts.Receipt(v.R.Context(), v.Args[0])
	if err != nil {
		return err
	}
	shown := receiptView{DataReceipt: r}
	for _, c := range []struct{ name, text string }{
		{"channels", "account.receipt.count-channels"}, {"blocks", "account.receipt.count-blocks"}, {"shared_blocks", "account.receipt.count-shared-blocks"},
		{"comments", "account.receipt.count-comments"}, {"groups", "account.receipt.count-groups"}, {"files", "account.receipt.count-files"},
		{"bytes", "account.receipt.count-bytes"}, {"left_out", "account.receipt.count-left-out"},
	} {
		if n, ok := r.Counts[c.name]; ok {
			shown.Named = append(shown.Named, namedCount{v.T(c.text), shownCount(c.name, n)})
		}
	}
	title := v.T("account.receipt.export")
	if r.Kind == domain.ReceiptErasure {
		title = v.T("account.receipt.erasure")
	}
	return v.Page("receipt", title, nil, shown)
}

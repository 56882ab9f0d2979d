package domain

import "time"

// DataReceiptID identifies a receipt.
type DataReceiptID int64

// ReceiptKind is what a receipt confirms.
type ReceiptKind string

// The kinds of receipts.
const (
	ReceiptExport  ReceiptKind = "export"
	ReceiptErasure ReceiptKind = "erasure"
)

// DataReceipt confirms that the data of an account was exported or erased. It contains no personal data: the account of an erasure
// has only its number left.
type DataReceipt struct {
	ID         DataReceiptID
	Code       string // anyone with it can read the receipt
	Kind       ReceiptKind
	UserID     UserID
	ByOperator bool
	Counts     map[string]int64 // channels, blocks, comments, …
	AskedAt    time.Time
	DoneAt     *time.Time // nil: the rest is still being erased
}

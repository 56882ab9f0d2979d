package content

import (
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
)

// Limits for uploads per user on this server: concurrent ones, waiting ones, and the longest wait. Browsers send several
// files at once, so a short wait serves them better than a refusal.
const (
	UploadsAtOnce  = 4
	waitingUploads = 60
	uploadMaxWait  = 30 * time.Second
)

// newUploading limits the uploads that are received per user.
func newUploading() *budget.Slots[domain.UserID] {
	return &budget.Slots[domain.UserID]{AtOnce: UploadsAtOnce, Waiting: waitingUploads, MaxWait: uploadMaxWait,
		Refusal: "Too many of your uploads are being sent: send four at once, and this one again later"}
}

// newFilling limits concurrent uploads to one address. Only the first one is stored.
func newFilling() *budget.Slots[domain.UploadID] {
	return &budget.Slots[domain.UploadID]{AtOnce: 1, Waiting: waitingUploads, MaxWait: uploadMaxWait,
		Refusal: "This upload is being sent by somebody else: send it again later"}
}

// newReading limits how many pages this server reads at once, since reading the text of one takes up to about 100 MB of memory.
func newReading() *budget.Slots[struct{}] {
	return &budget.Slots[struct{}]{AtOnce: 1, Waiting: waitingUploads, MaxWait: uploadMaxWait,
		Refusal: "Too many copies of pages are being saved: try again in a few seconds"}
}

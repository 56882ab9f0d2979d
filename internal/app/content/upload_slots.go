package content

import (
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/slots"
)

// How many uploads of one user this server receives at once, how many more wait for their
// turn, and how long. Browsers send several at once, so that a short wait serves them
// better than a refusal.
const (
	UploadsAtOnce  = 4
	waitingUploads = 60
	uploadPatience = 30 * time.Second
)

// newUploading is for uploads that are received.
func newUploading() *slots.Slots[domain.UserID] {
	return &slots.Slots[domain.UserID]{AtOnce: UploadsAtOnce, Waiting: waitingUploads, Patience: uploadPatience,
		Refusal: "Too many of your uploads are being sent: send four at once, and this one again later"}
}

// newFilling is for uploads that get their bytes: of those sent to one address at once,
// only the first are kept.
func newFilling() *slots.Slots[domain.UploadID] {
	return &slots.Slots[domain.UploadID]{AtOnce: 1, Waiting: waitingUploads, Patience: uploadPatience,
		Refusal: "This upload is being sent by somebody else: send it again later"}
}

package v3

import (
	"context"

	"vitrine/internal/app/content"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
)

// PresignUpload implements presignUpload.
func (h *handler) PresignUpload(ctx context.Context, r *v3.PresignUploadReq) (*v3.PresignResponse, error) {
	files := make([]content.FileInput, len(r.Files))
	for i, f := range r.Files {
		files[i] = content.FileInput{Name: f.Filename, ContentType: f.ContentType}
	}
	made, err := h.app.Content.Presign(ctx, httpedge.Actor(ctx), files)
	if err != nil {
		return nil, err
	}
	w := &v3.PresignResponse{Files: make([]v3.PresignedFile, len(made)), ExpiresIn: int64(content.UploadTTL.Seconds())}
	for i, f := range made {
		w.Files[i] = v3.PresignedFile{UploadURL: f.URL, Key: f.Key, ContentType: f.ContentType}
	}
	return w, nil
}

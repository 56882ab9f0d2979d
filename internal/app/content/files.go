package content

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/media"
	"vitrine/internal/media/filetype"
)

// OpenedFile is a file, or a resized version of it, to be served.
type OpenedFile struct {
	File        domain.File
	ContentType string
	Original    bool
	Content     *blob.File

	// Variant distinguishes contents that were served at the same URL; it is "" for the stored
	// bytes. Changeable contents depend on settings of the operator and the owner.
	Variant    string
	Changeable bool
}

// OpenShown opens the file under a key, or a version of it by its name below the key; NotFound
// while an operator hides its block. It needs no actor: whoever has the address may see it
// (behaviour.md section 3), and of what is hidden nobody, since files are asked for without a token.
func (a *Content) OpenShown(ctx context.Context, key, name string) (o OpenedFile, err error) {
	if !isUploadKey(key) { // nor a file's
		return o, domain.NewNotFound()
	}
	f, err := a.Store.ShownFile(ctx, key)
	if err != nil {
		return o, err
	}
	return a.OpenFile(ctx, f, name)
}

// OpenFile opens a file, or a version of it by its name, for whoever sees what shows it.
func (a *Content) OpenFile(ctx context.Context, f domain.File, name string) (o OpenedFile, err error) {
	o.File = f
	if name == o.File.Original() {
		return a.openOriginal(ctx, o)
	}
	v, ok := versionNamed(o.File, name)
	if !ok {
		return o, domain.NewNotFound()
	}
	o.ContentType = resizedTypes[o.File.Resized]
	o.Content, err = a.openVersion(ctx, o.File, v)
	return o, missing(err)
}

// openOriginal opens the original of a file, without its metadata unless the operator or the owner
// keeps it. If the metadata cannot be removed, it opens the largest resized version instead.
func (a *Content) openOriginal(ctx context.Context, o OpenedFile) (_ OpenedFile, err error) {
	o.ContentType, o.Original = o.File.ContentType, true
	if a.KeepsMetadata(o.File) {
		o.Changeable = !o.File.Clean()
		o.Content, err = a.blobs.Open(ctx, o.File.Object)
		return o, missing(err)
	}
	var plan []byte
	if o.File, plan, err = a.examined(ctx, o.File); err != nil {
		return o, missing(err)
	}
	o.Changeable = !o.File.Clean()
	if o.Changeable {
		o.Variant = "clean"
	}
	if o.File.CleanSize != domain.CleanImpossible || o.File.Resized == "" {
		o.Content, err = a.openClean(ctx, o.File, plan)
		return o, missing(err)
	}
	o.Variant, o.Original = "resized", false
	o.ContentType = resizedTypes[o.File.Resized]
	o.Content, err = a.openVersion(ctx, o.File, domain.LargeImage.At2x())
	return o, missing(err)
}

// missing is NotFound for bytes that the storage has lost, as one has that was restored
// without them. The cause names the object.
func missing(err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return domain.Wrap(domain.NotFound, domain.NewNotFound().Message, err)
	}
	return err
}

// IsMissing reports whether bytes should be in the storage and are not.
func IsMissing(err error) bool { return errors.Is(err, blob.ErrNotFound) }

// resizedTypes are the media types of resized versions, by their extensions.
var resizedTypes = map[string]string{"jpg": "image/jpeg", "webp": "image/webp"}

// versionNamed is the version of a file with this name.
func versionNamed(f domain.File, name string) (domain.ImageVersion, bool) {
	for _, v := range domain.ImageVersions() {
		if f.Resized != "" && name == f.Version(v) {
			return v, true
		}
	}
	return domain.ImageVersion{}, false
}

// versionFolder is where versions of originals are.
const versionFolder = "versions/"

// versionObject names a version in the storage. It goes with the bytes that it was
// made from, whatever file shows them.
func versionObject(object string, v domain.ImageVersion, extension string) string {
	return versionFolder + strings.TrimPrefix(object, originals) + "/" + v.String() + "." + extension
}

// openVersion opens a version, which is made if it is missing: once, however many
// wait for it.
func (a *Content) openVersion(ctx context.Context, f domain.File, v domain.ImageVersion) (*blob.File, error) {
	object := versionObject(f.Object, v, f.Resized)
	got, err := a.blobs.Open(ctx, object)
	if !errors.Is(err, blob.ErrNotFound) {
		return got, err
	}
	made := a.rendering.DoChan(f.Object, func() (any, error) {
		// The others wait for it too, so it goes on when the first of them leaves.
		return nil, a.renderAgain(context.WithoutCancel(ctx), f)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-made:
		if r.Err != nil {
			return nil, r.Err
		}
	}
	return a.blobs.Open(ctx, object)
}

// renderAgain makes all versions of a file from its original.
func (a *Content) renderAgain(ctx context.Context, f domain.File) error {
	if a.complete(ctx, f) { // by another, before this one's turn came
		return nil
	}
	original, err := a.blobs.Open(ctx, f.Object)
	if err != nil {
		return err
	}
	defer closing(original)
	src := io.NewSectionReader(original, 0, original.Size)
	kind, err := filetype.Detect(ctx, src, f.Name)
	if err != nil {
		return err
	}
	_, _, err = a.render(ctx, src, f.Object, kind)
	return err
}

// complete reports whether all versions of a file are there.
func (a *Content) complete(ctx context.Context, f domain.File) bool {
	for _, v := range domain.ImageVersions() {
		if _, err := a.blobs.Stat(ctx, versionObject(f.Object, v, f.Resized)); err != nil {
			return false
		}
	}
	return true
}

// render makes and stores all versions of an image, and gives their extension.
func (a *Content) render(ctx context.Context, src media.Source, object string, kind filetype.Kind) (made media.Rendered, extension string, err error) {
	made, err = a.studio.Render(ctx, src, kind, domain.ImageVersions())
	if err != nil {
		return made, "", err
	}
	extension = "webp"
	if made.Opaque {
		extension = "jpg"
	}
	if err := a.spare(0); err != nil {
		return made, "", err
	}
	for _, r := range made.Renditions {
		name := versionObject(object, r.Version, extension)
		if err := a.blobs.Put(ctx, name, bytes.NewReader(r.Bytes), int64(len(r.Bytes)), r.ContentType); err != nil {
			return made, "", err
		}
	}
	return made, extension, nil
}

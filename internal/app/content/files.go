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

// OpenedFile is an opened file, or a resized version of it.
type OpenedFile struct {
	File        domain.File
	ContentType string
	Original    bool
	Content     *blob.File

	// Variant distinguishes contents that were served at the same URL. It is "" for the stored bytes. Changeable
	// contents depend on settings of the operator and the owner.
	Variant    string
	Changeable bool
}

// OpenShown opens the file under a key, or one of its versions by the name below the key. It returns NotFound while an
// operator hides its block. It needs no actor: the address is all that is needed to read a file (behaviour.md section
// 3), and requests for files carry no token, so nobody can read a hidden one.
func (a *Content) OpenShown(ctx context.Context, key, name string) (o OpenedFile, err error) {
	if !isUploadKey(key) { // nor the key of a file
		return o, domain.NewNotFound()
	}
	f, err := a.Store.Blobs().ShownFile(ctx, key)
	if err != nil {
		return o, err
	}
	return a.OpenFile(ctx, f, name)
}

// OpenFile opens a file, or one of its versions by name, for a caller who may see the block or picture that shows it.
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

// missing returns NotFound for bytes that the storage has lost, for example after a restore without files. The cause
// names the object.
func missing(err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return domain.Wrap(domain.NotFound, domain.NewNotFound().Message, err)
	}
	return err
}

// IsMissing reports whether an error says that the storage lost the bytes.
func IsMissing(err error) bool { return errors.Is(err, blob.ErrNotFound) }

// resizedTypes maps the extensions of resized versions to media types.
var resizedTypes = map[string]string{"jpg": "image/jpeg", "webp": "image/webp"}

// versionNamed returns the version of a file with this name.
func versionNamed(f domain.File, name string) (domain.ImageVersion, bool) {
	for _, v := range domain.ImageVersions() {
		if f.Resized != "" && name == f.Version(v) {
			return v, true
		}
	}
	return domain.ImageVersion{}, false
}

// versionFolder is the folder of versions of originals.
const versionFolder = "versions/"

// versionObject returns the name of a version in the storage. Files with the same bytes share their versions.
func versionObject(object string, v domain.ImageVersion, extension string) string {
	return versionFolder + strings.TrimPrefix(object, originals) + "/" + v.String() + "." + extension
}

// openVersion opens a version. If the version is missing, it is rendered once for all concurrent requests.
func (a *Content) openVersion(ctx context.Context, f domain.File, v domain.ImageVersion) (*blob.File, error) {
	object := versionObject(f.Object, v, f.Resized)
	got, err := a.blobs.Open(ctx, object)
	if !errors.Is(err, blob.ErrNotFound) {
		return got, err
	}
	made := a.rendering.DoChan(f.Object, func() (any, error) {
		// Other requests wait for the result, so the rendering outlives the first one.
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

// renderAgain renders all versions of a file from its original.
func (a *Content) renderAgain(ctx context.Context, f domain.File) error {
	if a.complete(ctx, f) { // another request rendered them in the meantime
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

// complete reports whether all versions of a file exist.
func (a *Content) complete(ctx context.Context, f domain.File) bool {
	for _, v := range domain.ImageVersions() {
		if _, err := a.blobs.Stat(ctx, versionObject(f.Object, v, f.Resized)); err != nil {
			return false
		}
	}
	return true
}

// render renders and stores all versions of an image, and returns their extension.
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

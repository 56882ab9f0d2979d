package content

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/url"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
	"vitrine/internal/weburl"
)

// UploadTTL is the lifetime of an upload address (behaviour.md section 10).
const UploadTTL = time.Hour

// uploadFolder is the folder of files that clients upload to the storage directly.
const uploadFolder = blobs.UploadFolder

// FileInput describes a file that a user is going to upload.
type FileInput struct{ Name, ContentType string }

// PresignedFile contains the upload address of a file.
type PresignedFile struct{ URL, Key, ContentType string }

// Presign returns upload addresses for files.
func (a *Content) Presign(ctx context.Context, actor domain.Actor, files []FileInput) ([]PresignedFile, error) {
	if err := validFiles(files); err != nil {
		return nil, err
	}
	now := a.Now()
	out := make([]PresignedFile, len(files))
	uploads := make([]domain.Upload, len(files))
	for i, f := range files {
		key := auth.NewKey() + "/" + keyName(f.Name)
		uploads[i] = domain.Upload{Key: key, UserID: actor.UserID, Name: f.Name, ContentType: f.ContentType,
			ExpiresAt: now.Add(UploadTTL), CreatedAt: now}
		address, err := a.uploadURL(ctx, uploads[i])
		if err != nil {
			return nil, err
		}
		out[i] = PresignedFile{URL: address, Key: key, ContentType: f.ContentType}
	}
	return out, a.addUploads(ctx, actor, uploads)
}

func validFiles(files []FileInput) error {
	var f domain.Faults
	if f.Count("files", len(files), domain.MaxUploads) {
		for i, file := range files {
			_ = f.IncludeItem("files", i, file.Validate())
		}
	}
	return f.Err()
}

// Validate checks the name and the declared type of a file.
func (in FileInput) Validate() error {
	var f domain.Faults
	if f.Text("filename", in.Name, domain.MaxFilename) {
		if name := strings.TrimSpace(in.Name); name == "" || name == "." || name == ".." || strings.ContainsFunc(name, notInFilename) {
			f.Add("filename", domain.FieldMalformed, "must be the name of a file")
		}
	}
	if len(in.ContentType) < domain.MinContentType {
		f.Add("content_type", domain.FieldTooShort, "must be a media type such as image/png")
	} else if f.Text("content_type", in.ContentType, domain.MaxContentType) {
		if _, _, err := mime.ParseMediaType(in.ContentType); err != nil || !contentType.MatchString(in.ContentType) {
			f.Add("content_type", domain.FieldMalformed, "must be a media type such as image/png")
		}
	}
	return f.Err()
}

// notInFilename reports whether a character is a path separator or invisible.
func notInFilename(r rune) bool { return r == '/' || r == '\\' || r < ' ' || r == 0x7f }

var contentType = regexp.MustCompile(domain.ContentTypePattern)

// keyName turns a file name into the name of a key: only A-Z, a-z, 0-9, ".", "_" and "-", with its extension, and
// shortened.
func keyName(name string) string {
	clean := func(s string) string {
		return strings.Trim(strings.Map(func(r rune) rune {
			if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
				return r
			}
			return '-'
		}, s), "-")
	}
	ext := path.Ext(name)
	stem, ending := clean(strings.TrimSuffix(name, ext)), clean(strings.TrimPrefix(ext, "."))
	if stem = stem[:min(len(stem), 80)]; stem == "" {
		stem = "file"
	}
	if ending == "" {
		return stem
	}
	return stem + "." + ending[:min(len(ending), 16)]
}

// uploadURL returns the upload address, of the storage or of this server.
func (a *Content) uploadURL(ctx context.Context, u domain.Upload) (string, error) {
	address, ok, err := a.blobs.PresignPut(ctx, uploadFolder+u.Key, u.ContentType, UploadTTL)
	if ok || err != nil {
		return address, err
	}
	signature, err := a.uploadSignature(ctx, u.Key, u.ContentType, u.ExpiresAt.Unix())
	query := url.Values{"expires": {strconv.FormatInt(u.ExpiresAt.Unix(), 10)}, "type": {u.ContentType},
		"signature": {signature}}
	return a.BaseURL + "/uploads/" + u.Key + "?" + query.Encode(), err
}

// uploadSignature signs an upload address of this server.
func (a *Content) uploadSignature(ctx context.Context, key, contentType string, expires int64) (string, error) {
	secret, err := a.Secret(ctx, &a.uploadKey, "uploads")
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(key + "\n" + contentType + "\n" + strconv.FormatInt(expires, 10)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), nil
}

// SentFile is a request to an address of Presign: the key and query of the address, and the body.
type SentFile struct {
	Key         string
	Query       url.Values
	ContentType string
	Length      int64 // bytes of the body; -1 if unknown
	Body        io.Reader
}

// ReceiveUpload stores the bytes of an upload. Sending the same bytes again changes nothing; different bytes are a
// conflict. Bytes are reserved in the quota before they are read.
func (a *Content) ReceiveUpload(ctx context.Context, in SentFile) error {
	u, err := a.sentUpload(ctx, in)
	if err == nil {
		_, err = a.take(ctx, in, u)
	}
	return err
}

// take stores the bytes sent for an upload and returns their SHA-256.
func (a *Content) take(ctx context.Context, in SentFile, u domain.Upload) (sum string, err error) {
	if in.Length > a.uploadLimit {
		return "", a.tooLarge(nil)
	}
	if err := a.uploading.Enter(ctx, u.UserID); err != nil {
		return "", err
	}
	defer a.uploading.Leave(u.UserID)
	held := a.newHold("upload:"+auth.NewKey(), u.UserID, true)
	defer held.release(ctx)
	staged, err := a.receive(ctx, in, u, held)
	if err != nil {
		return "", err
	}
	defer a.discard(staged)
	return staged.SHA256, a.fillUpload(ctx, u, staged, held)
}

// receive stages the bytes of an upload.
func (a *Content) receive(ctx context.Context, in SentFile, u domain.Upload, held *hold) (*blob.Staged, error) {
	body := &metered{ctx: ctx, r: in.Body, held: held, limit: a.uploadLimit}
	if u.BlobID != 0 { // only compared, not stored
		body.limit = u.Size
		if in.Length > u.Size {
			return nil, sentBefore()
		}
	} else if err := body.begin(in.Length); err != nil {
		return nil, err
	}
	staged, err := a.staging.Receive(ctx, body, body.limit)
	known, ours := errors.AsType[*domain.Error](err)
	switch {
	case ours:
		return nil, known
	case errors.Is(err, blob.ErrTooLarge) && u.BlobID != 0:
		return nil, sentBefore()
	case errors.Is(err, blob.ErrTooLarge):
		return nil, a.tooLarge(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, domain.Wrap(domain.Timeout, "The body came too slowly", err)
	case errors.Is(err, blob.ErrSource):
		return nil, domain.Wrap(domain.Invalid, "The body ended before its time", err)
	}
	return staged, err
}

func sentBefore() error {
	return domain.Wrap(domain.Conflict, "Another file was sent here before", nil)
}

// fillUpload stores the bytes of an upload. Requests to the same address run one after the other, so that none of them
// stores bytes that nothing will reference.
func (a *Content) fillUpload(ctx context.Context, u domain.Upload, staged *blob.Staged, held *hold) error {
	if err := a.filling.Enter(ctx, u.ID); err != nil {
		return err
	}
	defer a.filling.Leave(u.ID)
	u, err := a.Store.Blobs().UploadByID(ctx, u.ID)
	if err != nil {
		return err
	}
	if u.BlobID != 0 {
		return a.same(ctx, u, staged)
	}
	kept, err := a.keep(ctx, staged, u.ContentType)
	if err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		has, err := tx.Blobs().FillUpload(ctx, u.ID, kept)
		switch {
		case err != nil:
			return err
		case has != kept.ID:
			return sentBefore()
		}
		return held.settle(ctx, tx, kept.Size)
	})
}

// same refuses bytes that differ from those of an upload.
func (a *Content) same(ctx context.Context, u domain.Upload, staged *blob.Staged) error {
	has, err := a.Store.Blobs().Blob(ctx, u.BlobID)
	if err == nil && has.Hash != staged.SHA256 {
		err = sentBefore()
	}
	return err
}

// meterStep is the number of bytes reserved at a time for a body of unknown length, and the number of bytes between
// checks of the disks.
const meterStep = 8 << 20

// metered reserves bytes before it reads them from a body.
type metered struct {
	ctx   context.Context
	r     io.Reader
	held  *hold
	limit int64

	metering bool  // reserve as bytes arrive
	granted  int64 // bytes reserved
	read     int64 // bytes read
	looked   int64 // value of read at which the disks are checked again
}

// begin reserves space for a body; the length -1 means unknown.
func (m *metered) begin(length int64) error {
	m.metering = length < 0
	m.looked = meterStep
	if err := m.held.a.spare(max(length, 0)); err != nil || m.metering {
		return err
	}
	return m.held.grow(m.ctx, length)
}

// Read implements io.Reader. It returns a *domain.Error if the space is exhausted.
func (m *metered) Read(p []byte) (int, error) {
	if m.looked > 0 && m.read >= m.looked {
		m.looked += meterStep
		if err := m.held.a.spare(0); err != nil {
			return 0, err
		}
	}
	if m.metering && m.read >= m.granted {
		room, err := m.held.growUpTo(m.ctx, m.read+1, min(m.read+meterStep, m.limit+1))
		switch {
		case errors.Is(err, errOverQuota):
			return m.last(err)
		case err != nil:
			return 0, err
		}
		m.granted = room
	}
	if m.metering {
		p = p[:min(int64(len(p)), m.granted-m.read)]
	}
	n, err := m.r.Read(p)
	m.read += int64(n)
	return n, err
}

// last reads once more after a refusal: at the end of the body the refusal does not matter.
func (m *metered) last(refusal error) (int, error) {
	n, err := io.ReadFull(m.r, make([]byte, 1))
	if n > 0 {
		return 0, refusal
	}
	return 0, err
}

func (a *Content) tooLarge(cause error) error {
	return domain.Wrap(domain.TooLarge, "A file may be at most "+strconv.FormatInt(a.uploadLimit, 10)+" bytes", cause)
}

// sentUpload returns the upload of a signed address.
func (a *Content) sentUpload(ctx context.Context, in SentFile) (u domain.Upload, err error) {
	expires, _ := strconv.ParseInt(in.Query.Get("expires"), 10, 64)
	contentType := in.Query.Get("type")
	want, err := a.uploadSignature(ctx, in.Key, contentType, expires)
	if err != nil {
		return u, err
	}
	if !hmac.Equal([]byte(want), []byte(in.Query.Get("signature"))) {
		return u, domain.NewForbidden("The address was not issued by this server")
	}
	if a.Now().Unix() >= expires {
		return u, domain.NewForbidden("The address has expired")
	}
	if in.ContentType != contentType {
		return u, domain.Wrap(domain.Unsupported, "The header Content-Type must be "+contentType, nil)
	}
	return a.Store.Blobs().Upload(ctx, in.Key)
}

// publicHost and publicFolder are the host and folder that clients of the public API put before a key to build an
// address themselves (behaviour.md section 10).
const (
	publicHost   = "s3.amazonaws.com"
	publicFolder = "/arena_images-temp/"
)

// UploadNamed returns the upload that a value names. named reports whether the value is an upload address at all. The
// upload must belong to the actor and its bytes must have arrived.
func (a *Content) UploadNamed(ctx context.Context, actor domain.Actor, field, value string) (u domain.Upload, named bool, err error) {
	keys, named := a.uploadKeys(value)
	if !named {
		return u, false, nil
	}
	for _, key := range keys {
		u, err = a.Store.Blobs().Upload(ctx, key)
		if domain.KindOf(err) == domain.NotFound || err == nil && u.UserID != actor.UserID {
			continue
		}
		if err == nil {
			err = a.arrived(ctx, field, u)
		}
		return u, true, err
	}
	return u, true, domain.InvalidField(field, domain.FieldUnknown, "names no upload of yours")
}

// keepUpload prevents the removal of an upload until the end of the transaction, which records what waits for it.
func keepUpload(ctx context.Context, tx *store.Tx, field string, id domain.UploadID) error {
	if id == 0 {
		return nil
	}
	err := tx.Blobs().KeepUpload(ctx, id)
	if domain.KindOf(err) == domain.NotFound {
		return domain.InvalidField(field, domain.FieldUnknown, "names no upload of yours")
	}
	return err
}

// arrived refuses an upload whose bytes have not arrived or exceed the quota.
func (a *Content) arrived(ctx context.Context, field string, u domain.Upload) error {
	if u.BlobID != 0 {
		return a.afford(ctx, u, u.Size)
	}
	if _, ok, err := a.blobs.PresignPut(ctx, uploadFolder+u.Key, u.ContentType, UploadTTL); err != nil || !ok {
		return errors.Join(err, domain.InvalidField(field, domain.FieldUnknown, "the file has not been sent yet"))
	}
	info, err := a.blobs.Stat(ctx, uploadFolder+u.Key)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return domain.InvalidField(field, domain.FieldUnknown, "the file has not been sent yet")
	case err == nil && info.Size > a.uploadLimit:
		return domain.InvalidField(field, domain.FieldTooLong, "the file is larger than "+strconv.FormatInt(a.uploadLimit, 10)+" bytes")
	case err == nil:
		err = a.afford(ctx, u, info.Size)
	}
	return err
}

// afford refuses to use an upload that exceeds the quota. It only gives an early answer: the bytes are reserved when the
// content is stored. Bytes that already count as unused need no reservation.
func (a *Content) afford(ctx context.Context, u domain.Upload, size int64) error {
	if !u.Used {
		size -= u.Size
	}
	if size <= 0 {
		return nil
	}
	has, err := a.Store.Counters().ByteUsage(ctx, u.UserID, a.Now())
	if err != nil {
		return err
	}
	if left, refusal := a.available(has, false); left >= 0 && size > left {
		return refusal
	}
	return nil
}

// uploadKeys returns the possible keys of an upload address: raw, with "%2F" for "/", or with "+" for it.
func (a *Content) uploadKeys(value string) (keys []string, named bool) {
	value, _, _ = strings.Cut(strings.TrimSpace(value), "?")
	value, _, _ = strings.Cut(value, "#")
	rest, named := a.uploadPath(value)
	if !named {
		return nil, false
	}
	seen := map[string]bool{}
	add := func(key string) {
		if !seen[key] && isUploadKey(key) {
			seen[key], keys = true, append(keys, key)
		}
	}
	add(rest)
	if plain, err := url.PathUnescape(rest); err == nil {
		add(plain)
		add(strings.ReplaceAll(plain, "+", "/"))
	}
	return keys, true
}

// uploadPath returns the part of an address after the folder of uploads, without the query.
func (a *Content) uploadPath(address string) (path string, named bool) {
	for _, prefix := range []string{a.BaseURL + "/uploads/", a.uploadPrefix} {
		if after, ok := strings.CutPrefix(address, prefix); ok && prefix != "" {
			return after, true
		}
	}
	u, err := weburl.Parse(address)
	if err != nil || u.Hostname() != publicHost {
		return "", false
	}
	return strings.CutPrefix(u.EscapedPath(), publicFolder)
}

// isUploadKey reports whether a key can belong to an upload, which saves look-ups.
func isUploadKey(key string) bool {
	return len(key) < 200 && !strings.ContainsFunc(key, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._/-", r)
	})
}

// hosts returns the host names of addresses.
func hosts(addresses ...string) (names []string) {
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
			names = append(names, u.Hostname())
		}
	}
	return names
}

// UploadsTo returns the prefix of the addresses at which clients upload files to the storage directly, or "" if they
// upload to this server.
func (a *Content) UploadsTo() string { return a.uploadPrefix }

// UploadPrefix returns the prefix of the addresses at which clients upload files to the storage directly, or "" if they
// cannot.
func UploadPrefix(ctx context.Context, blobs blob.Store) (string, error) {
	const name = uploadFolder + "name"
	address, ok, err := blobs.PresignPut(ctx, name, "text/plain", time.Minute)
	if err != nil || !ok {
		return "", err
	}
	address, _, _ = strings.Cut(address, "?")
	return strings.TrimSuffix(address, "name"), nil
}

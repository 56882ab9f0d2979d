package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// A backup is chunks of rows, files, and a manifest that names them by their sums. In a
// folder and in a bucket they are
//
//	vitrine-backup              what the folder is
//	backups/<id>.json           a manifest each; the id ends in its sum
//	rows/<sum>                  chunks
//	files/<ab>/<sum>            files
//
// shared by all backups there. A file .tar.zst holds one: head.json, the chunks and files
// in the order in which they are read, and manifest.json; and after the end of the
// compressed data, in a frame that decompressors skip, the sum of everything before.
const (
	formatVersion = 1
	formatName    = "vitrine-backup"
	formatText    = "Backups of Vitrine, in the form 1. See `vitrine backup --help`.\n"
	rowsFolder    = "rows/"
	filesFolder   = "files/"
	listFolder    = "backups/"
	headName      = "head.json"
	manifestName  = "manifest.json"
	windowMost    = 8 << 20   // of the compressed data
	headMost      = 1 << 20   // bytes of a head
	manifestMost  = 256 << 20 // and of a manifest
)

// Head is what is known of a backup when it begins.
type Head struct {
	Format    int              `json:"format"`
	Program   string           `json:"program"` // its version
	Database  string           `json:"database"`
	Schema    int64            `json:"schema"`
	CreatedAt time.Time        `json:"created_at"` // the instant that it shows, or a moment before
	Last      map[string]int64 `json:"last"`       // numbers given out, by table
}

// Manifest says what a backup is made of.
type Manifest struct {
	Head
	Rows    int64     `json:"rows"`
	Files   int64     `json:"files"`
	Bytes   int64     `json:"bytes"` // of the files
	Chunks  []Chunk   `json:"chunks"`
	Missing []Missing `json:"missing"` // files that were not to be had, in the order of the list
}

// Missing is a file that could not be taken.
type Missing struct {
	Object string `json:"object"` // its name in the storage
	Sum    string `json:"sum"`
	Why    string `json:"why"`
}

// missingMost is after how many missing files the storage is taken to be another one.
const missingMost = 10_000

// errManifest says that a manifest is not what it should be.
var errManifest = errors.New("the manifest is damaged")

// ErrNewer says that a backup is of a form that this program does not know.
var ErrNewer = errors.New("it was made by a newer version of this program")

// errDamaged begins what is said of a copy that is not as it was written.
var errDamaged = errors.New("the backup is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errDamaged, fmt.Errorf(format, args...))
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

var (
	sumForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
	idForm  = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]{16}$`)
)

// idOf names a backup by its instant and the sum of its manifest.
func idOf(m Manifest, raw []byte) string {
	return m.CreatedAt.UTC().Format("20060102T150405.000Z") + "-" + sumOf(raw)[:16]
}

func decodeManifest(raw []byte) (m Manifest, err error) {
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, errors.Join(errManifest, err)
	}
	return m, m.check()
}

func (h Head) check() error {
	if h.Format > formatVersion {
		return ErrNewer
	}
	if h.Format < 1 || h.Schema < 1 {
		return errManifest
	}
	return nil
}

// check looks at what a manifest says before anything is made of it.
func (m Manifest) check() error {
	if err := m.Head.check(); err != nil {
		return err
	}
	for _, c := range m.Chunks {
		if !sumForm.MatchString(c.Sum) || c.Size < 1 || c.Size > packedMost || c.Rows < 1 {
			return errManifest
		}
	}
	for _, f := range m.Missing {
		if !sumForm.MatchString(f.Sum) {
			return errManifest
		}
	}
	return nil
}

func rowsName(sum string) string { return rowsFolder + sum }

func fileName(sum string) string { return filesFolder + sum[:2] + "/" + sum }

func manifestPath(id string) string { return listFolder + id + ".json" }

// idIn gives the id of a backup from the name of its manifest.
func idIn(name string) (id string, ok bool) {
	id, isManifest := strings.CutSuffix(strings.TrimPrefix(name, listFolder), ".json")
	return id, isManifest && idForm.MatchString(id)
}

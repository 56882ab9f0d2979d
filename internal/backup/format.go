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

// A backup consists of chunks of rows, files, and a manifest that lists their checksums. The layout
// of a folder or bucket:
//
//	vitrine-backup              marks the folder
//	backups/<id>.json           manifests; the id ends with a prefix of the checksum
//	rows/<sum>                  chunks
//	files/<ab>/<sum>            files
//
// The backups in a folder share chunks and files. A .tar.zst file contains a single backup: head.json,
// the chunks and files in the order in which they are read, and manifest.json. The compressed data is
// followed by a frame that decompressors skip, with the checksum of everything before it.
const (
	formatVersion = 1
	formatName    = "vitrine-backup"
	formatText    = "Backups of Vitrine, in the form 1. See `vitrine backup --help`.\n"
	rowsFolder    = "rows/"
	filesFolder   = "files/"
	listFolder    = "backups/"
	headName      = "head.json"
	manifestName  = "manifest.json"
	windowMax     = 8 << 20   // maximum compression window
	headMax       = 1 << 20   // maximum size of a head
	manifestMax   = 256 << 20 // maximum size of a manifest
)

// Head is the information that is available when a backup starts.
type Head struct {
	Format    int              `json:"format"`
	Program   string           `json:"program"` // program version
	Database  string           `json:"database"`
	Schema    int64            `json:"schema"`
	CreatedAt time.Time        `json:"created_at"` // the time of the snapshot, or slightly before
	Last      map[string]int64 `json:"last"`       // highest row number of each table
}

// Manifest lists the content of a backup.
type Manifest struct {
	Head
	Rows    int64     `json:"rows"`
	Files   int64     `json:"files"`
	Bytes   int64     `json:"bytes"` // total size of the files
	Chunks  []Chunk   `json:"chunks"`
	Missing []Missing `json:"missing"` // files that could not be read, in list order
}

// Missing is a file that could not be read from the storage.
type Missing struct {
	Object string `json:"object"` // its name in the storage
	Sum    string `json:"sum"`
	Why    string `json:"why"`
}

// missingMax is the number of missing files from which on the wrong storage must be configured.
const missingMax = 10_000

// errManifest reports an invalid manifest.
var errManifest = errors.New("the manifest is damaged")

// ErrNewer reports that this program does not support the format of a backup.
var ErrNewer = errors.New("it was made by a newer version of this program")

// errDamaged is the first part of errors about a damaged backup.
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

// idOf returns the id of a backup, which consists of its creation time and a prefix of the checksum of
// its manifest.
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

// check validates a manifest before it is used.
func (m Manifest) check() error {
	if err := m.Head.check(); err != nil {
		return err
	}
	for _, c := range m.Chunks {
		if !sumForm.MatchString(c.Sum) || c.Size < 1 || c.Size > packedMax || c.Rows < 1 {
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

// idIn returns the id of a backup from the name of its manifest.
func idIn(name string) (id string, ok bool) {
	id, isManifest := strings.CutSuffix(strings.TrimPrefix(name, listFolder), ".json")
	return id, isManifest && idForm.MatchString(id)
}

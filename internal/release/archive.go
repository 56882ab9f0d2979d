package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// writeArchive writes the archive for one platform, a zip for Windows and a tar.gz otherwise, and
// the program's SBOM next to it.
func writeArchive(out string, p program, shared map[string][]byte, when time.Time) error {
	name := "vitrine-" + p.about.version() + "-" + strings.ReplaceAll(p.platform, "/", "-")
	text, err := p.about.encode(when)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, name+".cdx.json"), text, 0o644); err != nil {
		return err
	}
	files := maps.Clone(shared)
	files["sbom.cdx.json"] = text
	var b bytes.Buffer
	write, ending := writeTarGz, ".tar.gz"
	if strings.HasPrefix(p.platform, "windows/") {
		files["vitrine.exe"] = p.binary
		write, ending = writeZip, ".zip"
	} else {
		files["vitrine"] = p.binary
	}
	if err := write(&b, name, files, when); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, name+ending), b.Bytes(), 0o644)
}

// mode returns 0755 for programs and 0644 for other files.
func mode(name string) int64 {
	if name == "vitrine" || name == "vitrine.exe" {
		return 0o755
	}
	return 0o644
}

func writeTarGz(w io.Writer, folder string, files map[string][]byte, when time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(packed)
	for _, name := range sorted(files) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + name, Mode: mode(name), Size: int64(len(files[name])),
			ModTime: when, Uname: "root", Gname: "root", Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(files[name]); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func writeZip(w io.Writer, folder string, files map[string][]byte, when time.Time) error {
	z := zip.NewWriter(w)
	for _, name := range sorted(files) {
		h := &zip.FileHeader{Name: path.Join(folder, name), Method: zip.Deflate, Modified: when}
		h.SetMode(os.FileMode(mode(name)))
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(files[name]); err != nil {
			return err
		}
	}
	return z.Close()
}

package warc

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

const dataFile = "data.warc.gz"

// Writer writes a WACZ file (version 1.1.1). It keeps a line for each page in memory until Close.
type Writer struct {
	out       *zip.Writer
	about     About
	data      *measured
	pages     bytes.Buffer // lines of the list of pages
	index     []string     // its lines
	resources []resource
}

// About describes a WACZ file.
type About struct {
	Title       string
	Description string
	Software    string
	Created     time.Time
}

// resource is a file of the package, as datapackage.json lists it.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// NewWriter begins a WACZ file. The caller must call Close, which does not close to.
func NewWriter(to io.Writer, about About) (*Writer, error) {
	w := &Writer{out: zip.NewWriter(to), about: about}
	var err error
	if w.data, err = w.create("archive/"+dataFile, zip.Store); err != nil {
		return nil, err
	}
	info := "software: " + about.Software + "\r\nformat: WARC File Format 1.1\r\n"
	_, _, err = w.record(about.Created, "warcinfo", "", "application/warc-fields", int64(len(info)), strings.NewReader(info))
	return w, err
}

// Add writes a page with the size of its body in bytes.
func (w *Writer) Add(p Page, contentType string, size int64, body io.Reader) error {
	header := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", contentType, size)
	digest := sha256.New()
	block := io.MultiReader(strings.NewReader(header), io.TeeReader(&whole{in: body, left: size}, digest))
	offset, length, err := w.record(p.Time, "response", p.URL, "application/http; msgtype=response", int64(len(header))+size, block)
	if err != nil {
		return err
	}
	line, err := json.Marshal(map[string]string{
		"url": p.URL, "mime": "text/html", "status": "200", "digest": hashOf(digest), "filename": dataFile,
		"offset": fmt.Sprint(offset), "length": fmt.Sprint(length),
	})
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	w.index = append(w.index, surt(p.URL)+" "+p.Time.UTC().Format("20060102150405")+" "+string(line)+"\n")
	listed, err := json.Marshal(map[string]string{
		"id": fmt.Sprint(len(w.index)), "url": p.URL, "title": p.Title, "ts": p.Time.UTC().Format(time.RFC3339),
	})
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	w.pages.Write(append(listed, '\n'))
	return nil
}

// record writes a record as a gzip member, and returns where it begins and its compressed length.
func (w *Writer) record(at time.Time, kind, uri, contentType string, size int64, block io.Reader) (offset, length int64, err error) {
	offset = w.data.n
	packed := gzip.NewWriter(w.data)
	var target string
	if uri != "" {
		target = "WARC-Target-URI: " + uri + "\r\n"
	}
	_, err = fmt.Fprintf(packed, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Date: %s\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		kind, uuid.NewString(), at.UTC().Format(time.RFC3339), target, contentType, size)
	if err == nil {
		_, err = io.Copy(packed, block)
	}
	if err == nil {
		_, err = io.WriteString(packed, "\r\n\r\n")
	}
	if err == nil {
		err = packed.Close()
	}
	if err != nil {
		return 0, 0, fmt.Errorf("warc: %w", err)
	}
	return offset, w.data.n - offset, nil
}

// Close writes the lists and ends the file.
func (w *Writer) Close() error {
	w.finish(w.data)
	slices.Sort(w.index)
	header := `{"format":"json-pages-1.0","id":"pages","title":"All pages"}` + "\n"
	if err := w.file("indexes/index.cdxj", zip.Deflate, strings.Join(w.index, "")); err != nil {
		return err
	}
	if err := w.file("pages/pages.jsonl", zip.Deflate, header+w.pages.String()); err != nil {
		return err
	}
	description, err := json.MarshalIndent(struct {
		Profile     string     `json:"profile"`
		Version     string     `json:"wacz_version"`
		Title       string     `json:"title,omitempty"`
		Description string     `json:"description,omitempty"`
		Software    string     `json:"software"`
		Created     string     `json:"created"`
		Resources   []resource `json:"resources"`
	}{"data-package", "1.1.1", w.about.Title, w.about.Description, w.about.Software, w.about.Created.UTC().Format(time.RFC3339), w.resources}, "", "  ")
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	if err := w.file("datapackage.json", zip.Deflate, string(description)); err != nil {
		return err
	}
	if err := w.out.Close(); err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	return nil
}

// file writes an entry.
func (w *Writer) file(name string, method uint16, content string) error {
	to, err := w.create(name, method)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(to, content); err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	w.finish(to)
	return nil
}

func (w *Writer) create(path string, method uint16) (*measured, error) {
	to, err := w.out.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: w.about.Created})
	if err != nil {
		return nil, fmt.Errorf("warc: %w", err)
	}
	return &measured{path: path, to: to, hash: sha256.New()}, nil
}

// finish adds an entry to the list of resources.
func (w *Writer) finish(m *measured) {
	w.resources = append(w.resources, resource{Name: m.path[strings.LastIndexByte(m.path, '/')+1:], Path: m.path, Hash: hashOf(m.hash), Bytes: m.n})
}

// measured counts and hashes what is written to an entry.
type measured struct {
	path string
	to   io.Writer
	hash hash.Hash
	n    int64
}

func (m *measured) Write(p []byte) (int, error) {
	n, err := m.to.Write(p)
	m.hash.Write(p[:n])
	m.n += int64(n)
	return n, err
}

func hashOf(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }

// surt returns the key of an address in an index: the host with its labels reversed, and the rest, in lower case.
func surt(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return strings.ToLower(address)
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if net.ParseIP(host) == nil {
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		host = strings.Join(labels, ",")
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	path := strings.ToLower(u.EscapedPath())
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + strings.ToLower(u.RawQuery)
	}
	return host + ")" + path
}

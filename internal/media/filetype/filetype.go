// Package filetype detects the types of files from their first bytes.
package filetype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"vitrine/internal/media/source"
)

// Class is how a file can be shown.
type Class int

// The classes.
const (
	Other    Class = iota // served unchanged
	Raster                // an image of pixels, which has resized versions
	Vector                // SVG, which package strip makes safe to serve
	Document              // PDF, whose first page package pdf renders
)

// Kind is the type of a file.
type Kind struct {
	ContentType string // media type without parameters, such as "image/jpeg"
	Extension   string // canonical and without a dot, such as "jpg"; may be empty
	Class       Class
}

// sniffed is how many bytes at the start determine the type.
const sniffed = 3072

// The media types that can be made into images.
const (
	JPEG = "image/jpeg"
	PNG  = "image/png"
	GIF  = "image/gif"
	WebP = "image/webp"
	AVIF = "image/avif"
	HEIC = "image/heic"
	HEIF = "image/heif"
	TIFF = "image/tiff"
	BMP  = "image/bmp"
	SVG  = "image/svg+xml"
	PDF  = "application/pdf"
)

// renamed maps media types to the ones that we use for them.
var renamed = map[string]string{
	"image/apng":          PNG, // any PNG decoder reads its first frame
	"image/heic-sequence": HEIC,
	"image/heif-sequence": HEIF,
	"text/xml":            "application/xml", // RFC 7303, section 9.2
}

// textual contains formats that only their name distinguishes from other text. None of them can
// run in a browser: a name never makes a file active.
var textual = map[string]Kind{
	"csv":      {ContentType: "text/csv", Extension: "csv"},
	"ics":      {ContentType: "text/calendar", Extension: "ics"},
	"markdown": {ContentType: "text/markdown", Extension: "md"},
	"md":       {ContentType: "text/markdown", Extension: "md"},
	"srt":      {ContentType: "application/x-subrip", Extension: "srt"},
	"tsv":      {ContentType: "text/tab-separated-values", Extension: "tsv"},
	"txt":      {ContentType: "text/plain", Extension: "txt"},
	"vcf":      {ContentType: "text/vcard", Extension: "vcf"},
	"yaml":     {ContentType: "application/yaml", Extension: "yaml"},
	"yml":      {ContentType: "application/yaml", Extension: "yaml"},
}

// Detect returns the type of a file according to its bytes. The name, which a stranger chose, only
// decides between kinds of text that bytes cannot distinguish.
func Detect(ctx context.Context, src source.File, name string) (Kind, error) {
	head := make([]byte, min(sniffed, src.Size()))
	n, err := source.New(ctx, src).ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Kind{}, fmt.Errorf("detect the content type: %w", err)
	}
	found := mimetype.Detect(head[:n])
	contentType, _, _ := strings.Cut(found.String(), ";")
	extension := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	if isText(found) {
		if kind, ok := textual[extension]; ok {
			return kind, nil
		}
		// The root element may come late, after a long comment.
		if extension == "svg" && (contentType == "text/xml" || contentType == "text/plain") {
			contentType = SVG
		}
	}
	return kindOf(contentType, strings.TrimPrefix(found.Extension(), ".")), nil
}

// isText reports whether found is text that a browser would not execute.
func isText(found *mimetype.MIME) bool {
	if found.Is(SVG) || found.Is("text/html") {
		return false
	}
	for ; found != nil; found = found.Parent() {
		if found.Is("text/plain") {
			return true
		}
	}
	return false
}

func kindOf(contentType, extension string) Kind {
	if to, ok := renamed[contentType]; ok {
		contentType = to
	}
	kind := Kind{ContentType: contentType, Extension: extension}
	switch contentType {
	case PNG:
		kind.Class, kind.Extension = Raster, "png" // not apng
	case JPEG, GIF, WebP, AVIF, HEIC, HEIF, TIFF, BMP:
		kind.Class = Raster
	case SVG:
		kind.Class, kind.Extension = Vector, "svg"
	case PDF:
		kind.Class = Document
	}
	return kind
}

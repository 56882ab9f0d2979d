// Package media makes images from files: resized versions of images in all common formats, and
// pictures of the first pages of documents.
//
// Files come from strangers. Dimensions are read from headers before anything is decoded, the
// memory of concurrent decodes is bounded, and C code runs in WebAssembly with limits on memory
// and, for PDF, on time. The libraries of the host are never used.
//
// Resized versions are converted to sRGB with the embedded colour profile, which they do not
// contain.
//
// Subpackages: filetype detects the type of a file, svg makes drawings safe, codec reads and
// writes the formats, profile converts colours, bitmap changes pictures in memory, strip removes
// metadata, pdf renders pages, wasm runs C code, and source is what all of them read from.
package media

import "vitrine/internal/media/source"

// Source is a whole file with random access.
type Source = source.File

// Error is the reason why a file cannot be used as an image, a drawing or a document.
type Error = source.Error

// Package media makes images from files: resized versions of images in all
// common formats, and pictures of documents' first pages.
//
// Files come from strangers. Dimensions are read from headers before anything
// is decoded, the memory of concurrent decodes is bounded, and C libraries
// run in WebAssembly with limits on memory, and for PDF on time. The
// host's libraries are never used.
//
// Colour profiles are applied to resized versions, which are in sRGB.
//
// Below it, each by itself: filetype detects what a file is, strip removes
// metadata and makes drawings safe, codec reads, changes and writes pictures,
// pdf renders pages, wasm runs C, and source is what all of them read from.
package media

import "vitrine/internal/media/source"

// Source is a whole file with random access.
type Source = source.File

// Error is the reason why a file cannot be used as an image, a drawing or a document.
type Error = source.Error

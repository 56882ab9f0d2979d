// Package media tells what files are, and makes images from them: resized
// versions of images in all common formats, pictures of documents' first
// pages, and SVG files without anything that runs or loads.
//
// Files come from strangers. Dimensions are read from headers before anything
// is decoded, the memory of concurrent decodes is bounded, and what was written
// in C runs in WebAssembly with limits on memory, and for PDF on time. The
// host's libraries are never used.
//
// Colour profiles are not applied and not kept: a wide-gamut original looks
// slightly paler resized.
package media

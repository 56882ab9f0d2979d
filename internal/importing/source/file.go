package source

import (
	"context"
	"io"
)

// TextFile is the part of a Document that all formats of text share. Each format adds Read.
type TextFile struct {
	Text     io.Reader // UTF-8
	Title    string    // of the channel for the whole file, unless the file has a title
	Identity Identity
	Format   string // set by Read
}

// Origin returns the origin of the file. Later versions of the file have the same origin.
func (f *TextFile) Origin() string { return f.Identity.Name }

// Others returns the origins that earlier versions gave to the file.
func (f *TextFile) Others() []string { return f.Identity.Others }

// Former returns the origin that all bookmarks and tables had in earlier versions.
func (f *TextFile) Former() string { return FormerOrigin }

// Sample returns the ids of the first blocks.
func (f *TextFile) Sample(context.Context) [][]string { return f.Identity.Blocks }

// About returns the format. The encoding is known only to the caller that decoded the text.
func (f *TextFile) About() About { return About{Format: f.Format} }

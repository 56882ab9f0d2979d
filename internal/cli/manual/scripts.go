package manual

import (
	"embed"
	"io"
)

// scripts tell shells to ask the program itself, so that what they complete is never out
// of date.
//
//go:embed completion
var scripts embed.FS

// Script writes the script of a shell.
func Script(w io.Writer, shell string) error {
	text, err := scripts.ReadFile("completion/vitrine." + shell)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

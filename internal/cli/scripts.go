package cli

import (
	"embed"
	"io"
)

// scripts call the program itself for completions, so they are never out of date.
//
//go:embed completion
var scripts embed.FS

// writeCompletion writes the completion script of a shell.
func writeCompletion(w io.Writer, shell string) error {
	text, err := scripts.ReadFile("completion/vitrine." + shell)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Package licenses contains Vitrine's licence and those of all third-party works in the program.
package licenses

import (
	"bytes"
	_ "embed"
	"io"

	"github.com/klauspost/compress/zstd"
)

//go:generate go run ./collect -root ../..

// notices.txt.zst contains NOTICE, LICENSE and THIRD-PARTY-NOTICES.txt of the module's root.
//
//go:embed notices.txt.zst
var packed []byte

// Print writes all of them to w as text.
func Print(w io.Writer) error {
	text, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer text.Close()
	_, err = io.Copy(w, text)
	return err
}

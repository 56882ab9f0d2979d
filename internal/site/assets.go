package site

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages refer to by a name with a hash of what is in it, so that
// browsers may keep it for ever.
type asset struct {
	contentType string
	body        []byte
}

type assets struct {
	byHash map[string]asset  // "site.1a2b3c4d5e6f.css" → file
	hashed map[string]string // "site.css" → "site.1a2b3c4d5e6f.css"
}

func newAssets() assets {
	a := assets{map[string]asset{}, map[string]string{}}
	files, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, f := range files {
		body, err := assetFiles.ReadFile("assets/" + f.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(body)
		ext := path.Ext(f.Name())
		name := strings.TrimSuffix(f.Name(), ext) + "." + hex.EncodeToString(sum[:6]) + ext
		a.byHash[name] = asset{mime.TypeByExtension(ext), body}
		a.hashed[f.Name()] = name
	}
	return a
}

// serve answers with an asset, and is false if there is none of that name.
func (a assets) serve(w http.ResponseWriter, r *http.Request, name string) bool {
	found, ok := a.byHash[name]
	if !ok || r.Method != http.MethodGet {
		return false
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", found.contentType)
	_, _ = w.Write(found.body) // the client has gone; nothing to do
	return true
}

package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"vitrine/internal/site/catalog"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file whose name in pages contains a hash of its content, so that browsers can cache it
// forever.
type asset struct {
	contentType string
	body        []byte
}

// assets are the files below /assets/: one style sheet made of the files of style/, our scripts,
// third-party libraries, typefaces, and pictures. They share one folder there, since scripts import each other
// by relative addresses.
type assets struct {
	byHash  map[string]asset    // "site.1a2b3c4d5e6f.css" → file
	hashed  map[string]string   // "site.css" → "site.1a2b3c4d5e6f.css"
	imports map[string][]string // "main.js" → the plain names of its static imports
	sum     string              // hash of all content
}

// assetTypes maps extensions to content types.
var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
}

// theAssets are created once, since they are part of the program.
var theAssets = sync.OnceValue(func() assets { return newAssets(assetFiles, scriptTexts(catalog.All())) })

// scriptTexts returns the modules with texts for scripts by name, one for each language.
func scriptTexts(texts *catalog.Catalog) map[string][]byte {
	modules := map[string][]byte{}
	for _, lang := range texts.Languages {
		said, err := json.Marshal(texts.For(lang, "script."))
		if err != nil {
			panic(err)
		}
		modules[textsIn(lang)] = fmt.Appendf(nil, "import { say } from \"./texts.js\";\nsay(%q, %s);\n", lang.Code, said)
	}
	return modules
}

// textsIn returns the name of the module with a language's texts.
func textsIn(lang *catalog.Language) string { return "texts-" + lang.Code + ".js" }

// newAssets reads all files and adds the generated scripts. It panics if a file is invalid, since
// the files are part of the program.
func newAssets(files fs.FS, made map[string][]byte) assets {
	a := assets{byHash: map[string]asset{}, hashed: map[string]string{}, imports: map[string][]string{}}
	sources := map[string][]byte{"site.css": sheet(files)}
	maps.Copy(sources, made)
	err := fs.WalkDir(files, "assets", func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(at) == ".css" || assetTypes[path.Ext(at)] == "" {
			return err
		}
		name := path.Base(at)
		if _, twice := sources[name]; twice {
			panic("site: two files are called " + name)
		}
		sources[name], err = fs.ReadFile(files, at)
		if path.Base(path.Dir(at)) == "script" {
			sources[name] = trailing.ReplaceAll(margin.ReplaceAll(sources[name], nil), nil)
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		a.add(name, sources, nil)
	}
	for _, name := range slices.Sorted(maps.Keys(a.byHash)) {
		all.Write([]byte(name))
	}
	a.sum = hex.EncodeToString(all.Sum(nil)[:6])
	return a
}

// sheet concatenates the files of style/ in the order of their names.
func sheet(files fs.FS) (css []byte) {
	names, err := fs.Glob(files, "assets/style/*.css") // sorted
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		part, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		css = append(append(css, part...), '\n')
	}
	return margin.ReplaceAll(remark.ReplaceAll(css, nil), nil)
}

// What browsers do not need, an eighth of our scripts and style sheet: indentation and comments. A comment after a
// statement is left out if it has no quotes, so that it cannot be a part of a string.
var (
	margin   = regexp.MustCompile(`(?m)^[ \t]*(?://.*|/\*\*.*\*/)\n|^[ \t]+|^\n`)
	trailing = regexp.MustCompile("(?m) // [^'\"`\n]*$")
	remark   = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// importing matches the static and dynamic imports of our scripts.
var importing = regexp.MustCompile(`(?m)(^import (?:[^"]*? from )?|^export [^"]*? from |\bimport\()"(\.[^"]*)"`)

// linking matches the links of our style sheet to files.
var linking = regexp.MustCompile(`url\("(\.[^"]*)"\)`)

// add adds a file after its imports, or the files that it links to: its hash covers its content, and thereby the hashes of
// these.
func (a assets) add(name string, sources map[string][]byte, above []string) {
	if slices.Contains(above, name) {
		panic("site: " + strings.Join(append(above, name), " imports "))
	}
	if a.hashed[name] != "" {
		return
	}
	body := sources[name]
	needs := func(address []byte) string {
		to := path.Base(string(address))
		if _, ok := sources[to]; !ok {
			panic("site: " + name + " needs " + to + ", which is missing")
		}
		a.add(to, sources, append(above, name))
		return to
	}
	switch path.Ext(name) {
	case ".js":
		body = importing.ReplaceAllFunc(body, func(found []byte) []byte {
			parts := importing.FindSubmatch(found)
			to := needs(parts[2])
			if !strings.HasSuffix(string(parts[1]), "(") {
				a.imports[name] = append(a.imports[name], to)
			}
			return []byte(string(parts[1]) + `"./` + a.hashed[to] + `"`)
		})
	case ".css":
		body = linking.ReplaceAllFunc(body, func(found []byte) []byte {
			return []byte(`url("./` + a.hashed[needs(linking.FindSubmatch(found)[1])] + `")`)
		})
	}
	sum, ext := sha256.Sum256(body), path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	a.hashed[name], a.byHash[hashed] = hashed, asset{assetTypes[ext], body}
}

// needed lists all static imports of a script, so that a browser can preload them at once.
func (a assets) needed(name string) (all []string) {
	for _, to := range a.imports[name] {
		for _, one := range append(a.needed(to), to) {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

// serve answers with an asset. It returns false if no asset has the name. The mount compresses the
// response.
func (a assets) serve(w http.ResponseWriter, r *http.Request, name string) bool {
	found, ok := a.byHash[name]
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", found.contentType)
	_, _ = w.Write(found.body) // fails only if the client is gone
	return true
}

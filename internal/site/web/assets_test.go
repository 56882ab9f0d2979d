package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

func files(of map[string]string) fstest.MapFS {
	m := fstest.MapFS{"assets/style/10-x.css": {Data: []byte("a{}")}}
	for name, data := range of {
		m["assets/"+name] = &fstest.MapFile{Data: []byte(data)}
	}
	return m
}

// Scripts import each other by hashed names, and changing one changes the names of all that import
// it.
func TestImportsAreHashed(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		"script/main.js":      "import { a } from \"./a.js\";\nimport \"./b.js\";\nconst later = () => import(\"../vendor/x/lib.min.js\");\nlater(); // \"import\" it from \"./nowhere.js\"\n",
		"script/a.js":         "import {\n  b,\n} from \"./b.js\";\nexport const a = b;\n",
		"script/b.js":         "export const b = 1;\n",
		"vendor/x/lib.min.js": "var lib;\n",
		"vendor/x/LICENSE":    "free",
	}
	a := newAssets(files(sources), nil)
	main := string(a.byHash[a.hashed["main.js"]].body)
	for _, want := range []string{`from "./` + a.hashed["a.js"] + `"`, `import "./` + a.hashed["b.js"] + `"`, `import("./` + a.hashed["lib.min.js"] + `")`, `"./nowhere.js"`} {
		if !strings.Contains(main, want) {
			t.Errorf("%s is not in\n%s", want, main)
		}
	}
	if got := strings.Join(a.needed("main.js"), " "); got != "b.js a.js" {
		t.Errorf("it needs %s", got)
	}
	if a.hashed["LICENSE"] != "" {
		t.Error("a licence is served")
	}
	sources["script/b.js"] = "export const b = 2;\n"
	other := newAssets(files(sources), nil)
	for name, changes := range map[string]bool{"main.js": true, "a.js": true, "b.js": true, "lib.min.js": false, "site.css": false} {
		if (a.hashed[name] != other.hashed[name]) != changes {
			t.Errorf("%s: %s became %s", name, a.hashed[name], other.hashed[name])
		}
	}
	if a.sum == other.sum {
		t.Error("the sum of all is the same")
	}
}

// The style sheet links to typefaces by hashed names.
func TestLinksAreHashed(t *testing.T) {
	t.Parallel()
	sources := map[string]string{"style/10-x.css": "@font-face{src:url(\"./x.woff2\")}", "vendor/x/x.woff2": "one"}
	a := newAssets(files(sources), nil)
	if css := string(a.byHash[a.hashed["site.css"]].body); !strings.Contains(css, `url("./`+a.hashed["x.woff2"]+`")`) {
		t.Errorf("%s links to another file than %s", css, a.hashed["x.woff2"])
	}
	sources["vendor/x/x.woff2"] = "another"
	if other := newAssets(files(sources), nil); other.hashed["site.css"] == a.hashed["site.css"] {
		t.Error("the sheet has the same name although the typeface changed")
	}
}

func TestDefectsOfAssets(t *testing.T) {
	t.Parallel()
	for what, of := range map[string]map[string]string{
		"a circle":            {"script/a.js": "import \"./b.js\";", "script/b.js": "import \"./a.js\";"},
		"itself":              {"script/a.js": "const x = import(\"./a.js\");"},
		"a missing file":      {"script/a.js": "import \"./b.js\";"},
		"a missing typeface":  {"style/20-y.css": "@font-face{src:url(\"./x.woff2\")}"},
		"two of the one name": {"script/a.js": "", "vendor/x/a.js": ""},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is not noticed", what)
				}
			}()
			newAssets(files(of), nil)
		}()
	}
}

// The style sheet contains the files in their order.
func TestSheet(t *testing.T) {
	t.Parallel()
	got := string(sheet(files(map[string]string{"style/20-y.css": "b{}", "style/05-z.css": "c{}"})))
	if got != "c{}\na{}\nb{}\n" {
		t.Errorf("%q", got)
	}
}

// Third-party libraries are unmodified, and their licences are next to them.
func TestVendored(t *testing.T) {
	t.Parallel()
	about, err := assetFiles.ReadFile("assets/vendor/README.md")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := fs.Glob(assetFiles, "assets/vendor/*/*.js")
	if err != nil || len(scripts) != 1 {
		t.Fatal(scripts, err)
	}
	fonts, err := fs.Glob(assetFiles, "assets/vendor/*/*.woff2")
	if err != nil || len(fonts) != 5 {
		t.Fatal(fonts, err)
	}
	for _, name := range append(scripts, fonts...) {
		body, err := assetFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(body); !strings.Contains(string(about), hex.EncodeToString(sum[:])) {
			t.Errorf("%s is not as it was published: %x", name, sum)
		}
		if licence, err := assetFiles.ReadFile(path.Join(path.Dir(name), "LICENSE")); err != nil || len(licence) < 300 {
			t.Errorf("%s has no licence: %v", name, err)
		}
	}
}

// The window of the installed site has the colours of the style sheet.
func TestThemeColours(t *testing.T) {
	t.Parallel()
	css := string(sheet(assetFiles))
	layout, err := templateFiles.ReadFile("templates/layout.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, colour := range []string{paperLight, "#161514"} {
		if !strings.Contains(css, "--paper: "+colour+";") || !strings.Contains(string(layout), `name="theme-color" content="`+colour+`"`) {
			t.Errorf("%s is not the paper of the style sheet, or not the colour of the window", colour)
		}
	}
}

// Comments and indentation are left out.
func TestAssetsAreLean(t *testing.T) {
	t.Parallel()
	a := newAssets(files(map[string]string{
		"script/main.js": "// Says a.\n\n/** Says a. */\nconst a = () => {\n\t// once\n  return \"// https://example.org\"; // left out\n};\n",
		"style/20-y.css": "/* a\n   b */\nb {\n  color: red; /* c */\n}\n",
	}), nil)
	if got, want := string(a.byHash[a.hashed["main.js"]].body), "const a = () => {\nreturn \"// https://example.org\";\n};\n"; got != want {
		t.Errorf("the script is\n%s", got)
	}
	if got, want := string(a.byHash[a.hashed["site.css"]].body), "a{}\nb {\ncolor: red; \n}\n"; got != want {
		t.Errorf("the style sheet is\n%q", got)
	}
}

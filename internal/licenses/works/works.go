// Package works lists the third-party works in this repository that the program contains, and the
// released platforms.
package works

// Platforms returns the released platforms as GOOS/GOARCH.
func Platforms() []string {
	return []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
}

// Work is a third-party work in this repository that the program contains.
type Work struct {
	Name, Version string   // the version may be empty
	Source        string   // URL
	PURL          string   // as in software bills of materials
	Folder        string   // below the module's root
	Files         []string // licence files in Folder
}

const (
	codecs = "internal/media/codec/modules"
	pdfium = "internal/media/pdf/module"
	npm    = "https://www.npmjs.com/package/"
)

// Kept returns the third-party works. Codecs are included as WebAssembly.
func Kept() []Work {
	return []Work{
		{"htmx", "2.0.11", npm + "htmx.org/v/2.0.11", "pkg:npm/htmx.org@2.0.11", "internal/site/web/assets/vendor/htmx", []string{"LICENSE"}},
		{"Figtree", "5.3.0", npm + "@fontsource-variable/figtree/v/5.3.0", "pkg:npm/%40fontsource-variable/figtree@5.3.0", "internal/site/web/assets/vendor/figtree", []string{"LICENSE"}},
		{"Source Serif 4", "5.3.1", npm + "@fontsource/source-serif-4/v/5.3.1", "pkg:npm/%40fontsource/source-serif-4@5.3.1", "internal/site/web/assets/vendor/source-serif-4", []string{"LICENSE"}},
		{"Inter Display", "4.1.1", npm + "inter-ui/v/4.1.1", "pkg:npm/inter-ui@4.1.1", "internal/feeds/font", []string{"LICENSE.txt"}},
		{"The list of oEmbed providers", "1.0.20260604", "https://github.com/iamcal/oembed", "pkg:npm/oembed-providers@1.0.20260604", "internal/page", []string{"PROVIDERS.md"}},
		{"Common passwords as zxcvbn ranks them", "", "https://github.com/dropbox/zxcvbn", "pkg:github/dropbox/zxcvbn", "internal/auth", []string{"LICENSE.zxcvbn"}},
		{"libaom", "3.10.0", "https://aomedia.googlesource.com/aom", "pkg:generic/libaom@3.10.0", codecs, []string{"LICENSE.aom"}},
		{"libavif", "1.1.1", "https://github.com/AOMediaCodec/libavif", "pkg:github/AOMediaCodec/libavif@v1.1.1", codecs, []string{"LICENSE.libavif"}},
		{"libde265", "1.0.15", "https://github.com/strukturag/libde265", "pkg:github/strukturag/libde265@v1.0.15", codecs, []string{"LICENSE.libde265"}},
		{"libheif", "1.18.2", "https://github.com/strukturag/libheif", "pkg:github/strukturag/libheif@v1.18.2", codecs, []string{"LICENSE.libheif"}},
		{"libwebp", "1.4.0", "https://chromium.googlesource.com/webm/libwebp", "pkg:generic/libwebp@1.4.0", codecs, []string{"LICENSE.libwebp"}},
		{"The bindings of these codecs", "", "https://github.com/gen2brain", "pkg:golang/github.com/gen2brain/heic@v0.4.5", codecs, []string{"LICENSE.gen2brain"}},
		{"PDFium", "", "https://pdfium.googlesource.com/pdfium", "pkg:generic/pdfium", pdfium, []string{"LICENSE.pdfium", "LICENSE.libraries"}},
		{"go-pdfium", "1.17.2", "https://github.com/klippa-app/go-pdfium", "pkg:golang/github.com/klippa-app/go-pdfium@v1.17.2", pdfium, []string{"LICENSE.go-pdfium"}},
	}
}

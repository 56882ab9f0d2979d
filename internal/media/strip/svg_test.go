package strip

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"vitrine/internal/media/mediatest"
)

const svgHead = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">`

func TestSanitize(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"drawing":         {`<g id="curl" fill="url(#a)"><path d="M0 0L1 1"/></g>`, `<g id="curl" fill="url(#a)"><path d="M0 0L1 1"></path></g>`},
		"text":            {`<text x="1">a &lt; b</text>`, `<text x="1">a &lt; b</text>`},
		"script":          {`<script>alert(1)</script><rect/>`, `<rect></rect>`},
		"nested script":   {`<g><script><rect/></script></g>`, `<g></g>`},
		"html script":     {`<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>`, ``},
		"prefixed script": {`<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>`, ``},
		"prefixed rect":   {`<s:rect xmlns:s="http://www.w3.org/2000/svg" s:onload="x" x="1"/>`, `<rect x="1"></rect>`},
		"handler":         {`<rect onload="alert(1)" ONCLICK="x"/>`, `<rect></rect>`},
		"foreign content": {`<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>`, ``},
		"animation":       {`<image><set attributeName="href" to="javascript:alert(1)"/></image>`, `<image></image>`},
		"link":            {`<a href="javascript:alert(1)"><rect/></a>`, `<rect></rect>`},
		"use outside":     {`<use href="https://example.com/#a"/>`, `<use></use>`},
		"use inside":      {`<use xlink:href="#a" href="#b"/>`, `<use xlink:href="#a" href="#b"></use>`},
		"image outside":   {`<image href="//example.com/a.png"/>`, `<image></image>`},
		"image inside":    {`<image href="data:image/png;base64,AAAA"/>`, `<image href="data:image/png;base64,AAAA"></image>`},
		"svg inside":      {`<image href="data:image/svg+xml;base64,AAAA"/>`, `<image></image>`},
		"filter image":    {`<filter><feImage href="https://example.com/"/></filter>`, `<filter></filter>`},
		"url":             {`<rect fill="url(https://example.com/#a)"/>`, `<rect></rect>`},
		"url in a style":  {`<rect style="fill:URL( 'https://example.com' )"/>`, `<rect></rect>`},
		"escaped url":     {`<rect style="fill:u\72l(https://example.com)"/>`, `<rect></rect>`},
		"sheet":           {`<style>.a{fill:url("#b")}</style>`, `<style>.a{fill:url(&#34;#b&#34;)}</style>`},
		"sheet, import":   {`<style>@import "https://example.com"</style>`, ``},
		"sheet, hidden":   {`<style>a{b:"/*";c:url(//x);d:"*/"}</style>`, ``},
		"sheet, CDATA":    {`<style><![CDATA[a{b:url(//x)}]]></style>`, ``},
		"sheet, element":  {`<style>a{}<script>x</script></style>`, `<style>a{}</style>`},
		"comment":         {`<!-- <script/> --><?xml-stylesheet href="x"?>`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := SanitizeSVG(strings.NewReader(`<?xml version="1.0"?><!DOCTYPE svg>` + svgHead + c.in + `</svg>`))
			if err != nil {
				t.Fatal(err)
			}
			if want := svgHead + c.want + `</svg>`; string(got.Bytes) != want {
				t.Errorf("got  %s\nwant %s", got.Bytes, want)
			}
		})
	}
}

// Texts are decoded with the encoding and the entities that the file declares.
func TestSanitizeEncodings(t *testing.T) {
	t.Parallel()
	declaration := func(name string) string { return `<?xml version="1.0" encoding="` + name + `"?>` }
	body := svgHead + `<text>Größe</text></svg>`
	cyrillic := svgHead + `<text>Мир</text></svg>`
	encoded := func(e encoding.Encoding, text string) string {
		b, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	utf16 := func(e unicode.Endianness) encoding.Encoding { return unicode.UTF16(e, unicode.UseBOM) }
	for name, c := range map[string]struct{ in, want string }{
		"ISO-8859-1":                 {encoded(charmap.ISO8859_1, declaration("ISO-8859-1")+body), body},
		"windows-1251":               {encoded(charmap.Windows1251, declaration("windows-1251")+cyrillic), cyrillic},
		"UTF-16, little endian":      {encoded(utf16(unicode.LittleEndian), declaration("UTF-16")+body), body},
		"UTF-16, big endian":         {encoded(utf16(unicode.BigEndian), body), body},
		"UTF-8 with a mark":          {"\uFEFF" + declaration("utf-8") + body, body},
		"entities of namespaces":     {`<!DOCTYPE svg [<!ENTITY n "http://www.w3.org/2000/svg"> <!ENTITY t 'Größe'>]><svg xmlns="&n;" xmlns:xlink="http://www.w3.org/1999/xlink"><text>&t;</text></svg>`, body},
		"script in another encoding": {encoded(charmap.Windows1251, declaration("windows-1251")+svgHead+`<script>Мир</script></svg>`), svgHead + `</svg>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := SanitizeSVG(strings.NewReader(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Bytes) != c.want {
				t.Errorf("got  %s\nwant %s", got.Bytes, c.want)
			}
		})
	}
}

func TestSanitizeRefuses(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"empty":               "",
		"other root":          `<html xmlns="http://www.w3.org/1999/xhtml"/>`,
		"no namespace":        `<svg/>`,
		"two roots":           svgHead + `</svg>` + svgHead + `</svg>`,
		"cut":                 svgHead + `<rect/>`,
		"unknown entity":      `<!DOCTYPE svg [<!ENTITY a "b">]>` + svgHead + `&b;</svg>`,
		"entity of another":   `<!DOCTYPE svg [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>` + svgHead + `&c;</svg>`,
		"entity with a tag":   `<!DOCTYPE svg [<!ENTITY a "<script/>">]>` + svgHead + `&a;</svg>`,
		"entity from outside": `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>` + svgHead + `&a;</svg>`,
		"entity, too often":   `<!DOCTYPE svg [<!ENTITY a "` + strings.Repeat("b", 1<<20) + `">]>` + svgHead + strings.Repeat("&a;", 20) + `</svg>`,
		"unknown encoding":    `<?xml version="1.0" encoding="x-nothing"?>` + svgHead + `</svg>`,
		"deep":                svgHead + strings.Repeat(`<a><g>`, maxDepth) + strings.Repeat(`</g></a>`, maxDepth) + `</svg>`,
		"large":               svgHead + strings.Repeat(` `, maxFile) + `</svg>`,
	} {
		if got, err := SanitizeSVG(strings.NewReader(file)); mediatest.Reason(err) == "" {
			t.Errorf("%s: got %.100s and %v", name, got.Bytes, err)
		}
	}
	down := errors.New("the disk is gone")
	if _, err := SanitizeSVG(io.MultiReader(strings.NewReader(svgHead), &failingReader{down})); !errors.Is(err, down) || mediatest.Reason(err) != "" {
		t.Errorf("with a reader that fails: %v", err)
	}
}

type failingReader struct{ err error }

func (f *failingReader) Read([]byte) (int, error) { return 0, f.err }

func TestSize(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string][2]int{
		``:                                  {300, 150},
		`width="40" height="20.6"`:          {40, 21},
		`width="1in" height="72pt"`:         {96, 96},
		`viewBox="0 0 24 12"`:               {24, 12},
		`viewBox="0,0,24,12" width="48px"`:  {48, 24},
		`viewBox="0 0 24 12" height="100%"`: {24, 12},
		`width="NaN" height="-5"`:           {300, 150},
		`width="1e9" height="Inf"`:          {300, 150},
		`width="0.1" height="1"`:            {1, 1},
	} {
		got, err := SanitizeSVG(strings.NewReader(`<svg xmlns="http://www.w3.org/2000/svg" ` + attributes + `/>`))
		if err != nil || got.Width != want[0] || got.Height != want[1] {
			t.Errorf("%s: %d × %d, error %v, want %v", attributes, got.Width, got.Height, err, want)
		}
	}
}

// harm returns an error if an SVG file contains anything that must never be served. It does not
// use the lists of Sanitize.
func harm(file []byte) error {
	d := xml.NewDecoder(bytes.NewReader(file))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.Directive, xml.ProcInst:
			return fmt.Errorf("%T", t)
		case xml.StartElement:
			if err := harmfulElement(t); err != nil {
				return err
			}
		}
	}
}

func harmfulElement(e xml.StartElement) error {
	switch strings.ToLower(e.Name.Local) {
	case "script", "foreignobject", "iframe", "embed", "object", "a", "set", "animate", "handler", "link", "feimage":
		return fmt.Errorf("element %s", e.Name.Local)
	}
	for _, a := range e.Attr {
		name, value := strings.ToLower(a.Name.Local), strings.ToLower(strings.TrimSpace(a.Value))
		outside := name == "href" && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "data:image/")
		loads := strings.Contains(strings.ReplaceAll(value, " ", ""), "url(http")
		if strings.HasPrefix(name, "on") || outside || loads || strings.Contains(value, "javascript:") || strings.Contains(value, "svg+xml") {
			return fmt.Errorf("attribute %s=%q", name, value)
		}
	}
	return nil
}

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		svgHead + `<script>x</script><a href="javascript:x"><rect onclick="x" fill="url(#a)"/></a></svg>`,
		svgHead + `<style>a{b:url(#c)}</style><use xlink:href="#a"/><image href="data:image/png;base64,AA=="/></svg>`,
		`<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:style>@import</s:style><![CDATA[<script>]]></s:svg>`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		first, err := SanitizeSVG(bytes.NewReader(file))
		if err != nil {
			return
		}
		if err := harm(first.Bytes); err != nil {
			t.Fatalf("%v in %q", err, first.Bytes)
		}
		second, err := SanitizeSVG(bytes.NewReader(first.Bytes))
		if err != nil || !bytes.Equal(first.Bytes, second.Bytes) {
			t.Fatalf("%q becomes %q, error %v", first.Bytes, second.Bytes, err)
		}
	})
}

// A small file is rejected if its elements would take much memory.
func TestDrawingsAreBounded(t *testing.T) {
	t.Parallel()
	inside := func(s string) string { return `<svg xmlns="http://www.w3.org/2000/svg">` + s + `</svg>` }
	for name, file := range map[string]string{
		"attributes": inside(`<g` + strings.Repeat(` a=""`, maxAttributes+1) + `/>`),
		"left out":   inside(strings.Repeat("<x>", maxDepth) + strings.Repeat("</x>", maxDepth)),
		"escapes":    inside(strings.Repeat(`<text>`+strings.Repeat(`"`, 1<<10)+`</text>`, 4<<10)),
	} {
		if _, err := SanitizeSVG(strings.NewReader(file)); mediatest.Reason(err) == "" || strings.Contains(mediatest.Reason(err), "broken") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSidesAreBounded(t *testing.T) {
	t.Parallel()
	if _, err := SanitizeSVG(strings.NewReader(`<svg xmlns="http://www.w3.org/2000/svg" width="40000" height="1"/>`)); mediatest.Reason(err) == "" {
		t.Error(err)
	}
}

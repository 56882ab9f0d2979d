package page

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

func encoded(t *testing.T, e encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	utf8 := encoding.Nop
	littleEndian := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	bigEndian := unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	bare := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	far := "<script>" + strings.Repeat("x ", 2000) + "</script>"
	for _, c := range []struct {
		name, contentType, head string
		written                 encoding.Encoding
		title                   string
	}{
		{"windows-1251 in the header", "text/html; charset=windows-1251", "", charmap.Windows1251, "Река поднялась"},
		{"windows-1251 in meta", "text/html", `<meta charset="windows-1251">`, charmap.Windows1251, "Река поднялась"},
		{"koi8-r in http-equiv", "", `<meta http-equiv="Content-Type" content="text/html; charset=KOI8-R">`, charmap.KOI8R, "Река поднялась"},
		{"single quotes", "text/html", `<meta charset='windows-1251'>`, charmap.Windows1251, "Река поднялась"},
		{"single quotes within", "text/html", `<meta http-equiv=content-type content="text/html; charset='windows-1251'">`, charmap.Windows1251, "Река поднялась"},
		{"late within 1,024 bytes", "text/html", "<!--" + strings.Repeat("x", 900) + `--><meta charset="windows-1251">`, charmap.Windows1251, "Река поднялась"},
		{"Shift_JIS", "text/html; charset=Shift_JIS", "", japanese.ShiftJIS, "川が増水した"},
		{"EUC-JP", "text/html", `<meta charset=euc-jp>`, japanese.EUCJP, "川が増水した"},
		{"ISO-2022-JP", "text/html;charset=ISO-2022-JP", "", japanese.ISO2022JP, "川が増水した"},
		{"GB18030", "text/html; charset=gb18030", "", simplifiedchinese.GB18030, "河水上涨了€"},
		{"GBK as gb2312", "text/html", `<meta charset=gb2312>`, simplifiedchinese.GBK, "河水上涨了"},
		{"Big5", "text/html; charset=big5", "", traditionalchinese.Big5, "河水上漲了"},
		{"EUC-KR", "text/html", `<META CHARSET='EUC-KR'>`, korean.EUCKR, "강물이 불었다"},
		{"ISO-8859-1", "text/html; charset=iso-8859-1", "", charmap.ISO8859_1, "Çà et là, naïve"},
		{"ISO-8859-2", "text/html; charset=iso-8859-2", "", charmap.ISO8859_2, "Žluťoučký kůň"},
		{"windows-1252 undeclared", "text/html", "", charmap.Windows1252, "Çà et là – “naïve”"},
		{"UTF-16 LE with a mark", "text/html", "", littleEndian, "Река 川 강"},
		{"UTF-16 BE with a mark", "text/html; charset=windows-1251", "", bigEndian, "Река 川 강"},
		{"UTF-16 in the header", "text/html; charset=utf-16le", "", bare, "Река 川 강"},
		{"UTF-8", "text/html; charset=utf-8", "", utf8, "Река 川 강"},
		{"UTF-8 with a mark against the header", "text/html; charset=windows-1251", "", unicode.UTF8BOM, "Река 川 강"},
		{"UTF-8 undeclared", "text/html", "", utf8, "Река 川 강"},
		{"UTF-8 undeclared, late", "text/html", far, utf8, "Река 川 강"},
		{"header against meta", "text/html; charset=utf-8", `<meta charset="windows-1251">`, utf8, "Река 川 강"},
		{"meta that cannot be", "text/html", `<meta charset="utf-16">`, utf8, "Река 川 강"},
		{"windows-1251 in a late meta", "text/html", far + `<meta http-equiv=content-type content="text/html; charset=windows-1251">`, charmap.Windows1251, "Река поднялась"},
		{"late meta that cannot be", "text/html", far + `<meta charset="utf-16">`, charmap.Windows1252, "Çà et là"},
		{"unknown, then meta", "text/html; charset=made-up", `<meta charset=windows-1251>`, charmap.Windows1251, "Река поднялась"},
		{"broken header", "text/html; charset", "", utf8, "Река 川 강"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := "<html><head>" + c.head + "<title>" + c.title + `</title><meta name=description content="` + c.title + `"><body>` +
				strings.Repeat("<p>"+strings.Repeat(c.title+", ", 20)+"</p>", 5)
			p, err := Read(address(t, here), c.contentType, encoded(t, c.written, text))
			if err != nil {
				t.Fatal(err)
			}
			if p.Title != c.title || p.Description != c.title {
				t.Errorf("got %q and %q, want %q", p.Title, p.Description, c.title)
			}
			if !strings.Contains(p.Markdown, c.title) {
				t.Errorf("the Markdown is %.100q", p.Markdown)
			}
		})
	}
}

func TestCharsetsOfOEmbed(t *testing.T) {
	t.Parallel()
	const object = `{"type":"link","title":"Река"}`
	const document = `<oembed><type>link</type><title>Река</title></oembed>`
	for _, c := range []struct {
		name, contentType, text string
		written                 encoding.Encoding
	}{
		{"JSON", "application/json", object, encoding.Nop},
		{"JSON with a mark", "application/json", object, unicode.UTF8BOM},
		{"JSON in another", "application/json; charset=windows-1251", object, charmap.Windows1251},
		{"XML", "text/xml", document, encoding.Nop},
		{"XML that declares another", "text/xml", `<?xml version="1.0" encoding="windows-1251"?>` + document, charmap.Windows1251},
		{"XML whose header declares another", "text/xml; charset=windows-1251", `<?xml version="1.0" encoding="utf-8"?>` + document, charmap.Windows1251},
		{"XML in UTF-16", "text/xml", `<?xml version="1.0" encoding="utf-16"?>` + document, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, err := ReadOEmbed(encoded(t, c.written, c.text), c.contentType)
			if err != nil || o.Title != "Река" {
				t.Errorf("got %q, %v", o.Title, err)
			}
		})
	}
}

// XHTML may declare its character set only in its first line.
func TestXMLDeclaration(t *testing.T) {
	t.Parallel()
	title := string(encoded(t, charmap.Windows1251, "<html><head><title>Река</title></head></html>"))
	for _, head := range []string{`<?xml version="1.0" encoding="windows-1251"?>`, "\n<?xml version='1.0' encoding='Windows-1251' standalone='yes' ?>\n<!DOCTYPE html>",
		`<?xml version="1.0" encoding="koi8-r"?><meta charset="windows-1251">`} {
		for _, contentType := range []string{"application/xhtml+xml", "text/html", ""} {
			if p, err := Read(&url.URL{Scheme: "https", Host: "www.a.example"}, contentType, []byte(head+title)); err != nil || p.Title != "Река" {
				t.Errorf("%s, %s: %q, %v", contentType, head, p.Title, err)
			}
		}
	}
}

package content

import (
	"net/http"
	"net/url"
	"testing"

	"vitrine/internal/fetch"
)

func TestFileNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, path, want string }{
		{`attachment; filename="plain.bin"`, "/x", "plain.bin"},
		{`attachment; filename=plain.bin`, "/x", "plain.bin"},
		{`attachment; filename=My annual report.pdf`, "/x", "My annual report.pdf"},
		{`attachment; filename=My report.pdf; size=7`, "/x", "My report.pdf"},
		{`filename=bare.txt`, "/x", "bare.txt"},
		{`filename="bare too.txt"`, "/x", "bare too.txt"},
		{`attachment; filename="plain.bin"; filename*=UTF-8''na%C3%AFve%20file.bin`, "/x", "naïve file.bin"},
		{`attachment; filename*=UTF-8''na%C3%AFve%20file.bin; filename="plain.bin"`, "/x", "naïve file.bin"},
		{`attachment; filename*="UTF-8''quoted%20%E2%82%AC.txt"`, "/x", "quoted €.txt"},
		{`attachment; filename*=utf-8'en'lang.txt`, "/x", "lang.txt"},
		{`attachment; filename*=ISO-8859-1''caf%E9.txt`, "/x", "café.txt"},
		{`attachment; filename*=GBK''%D6%D0%CE%C4.txt`, "/x", "中文.txt"},
		{`attachment; filename*=nonsense''a%20b.txt`, "/x", "a b.txt"},
		{`attachment; filename*=UTF-8''broken%E; filename=good.txt`, "/x", "good.txt"},
		{`attachment; filename="=?UTF-8?B?4oKsLnR4dA==?="`, "/x", "€.txt"},
		{`attachment; filename="=?iso-8859-1?Q?caf=E9_au_lait.txt?="`, "/x", "café au lait.txt"},
		{`attachment; filename==?UTF-8?Q?=E2=82=AC.txt?=`, "/x", "€.txt"},
		{`attachment; filename="=?shift_jis?B?k/qWey50eHQ=?="`, "/x", "日本.txt"},
		{`attachment; filename="na%C3%AFve%20file.bin"`, "/x", "naïve file.bin"},
		{`attachment; filename="100%.txt"`, "/x", "100%.txt"},
		{"attachment; filename=\"Grüße.txt\"", "/x", "Grüße.txt"},
		{"attachment; filename=\"\xd6\xd0\xce\xc4 \xce\xc4\xbc\xfe.txt\"", "/x", "中文 文件.txt"},
		{"attachment; filename=\"caf\xe9.txt\"", "/x", "café.txt"},
		{"attachment; filename=Stra\xdfe.txt", "/x", "Straße.txt"},
		{`attachment; filename="say \"hi\".txt"`, "/x", `say "hi".txt`},
		{`attachment; filename="C:\Users\ada\plan.doc"`, "/x", "plan.doc"},
		{`attachment; filename="../../etc/passwd"`, "/x", "passwd"},
		{`attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`, "/x", "passwd"},
		{`attachment; filename*=UTF-8''a%00b%0A.txt`, "/x", "ab.txt"},
		{`attachment; filename=""`, "/dir/last%20part.zip", "last part.zip"},
		{`attachment`, "/dir/%E4%B8%AD.zip", "中.zip"},
		{`inline; name=x`, "/a;filename=no", "a;filename=no"},
		{``, "/", "example.org"},
		{``, "/download.php", "download"},
		{``, "/.aspx", "example.org"},
		{``, "/notes.pl.txt", "notes.pl.txt"},
		{`attachment; xfilename=no.txt`, "/yes", "yes"},
	} {
		at, err := url.Parse("http://example.org" + c.path)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		if c.header != "" {
			header.Set("Content-Disposition", c.header)
		}
		if got := fileName(&fetch.Response{URL: at, Header: header}); got != c.want {
			t.Errorf("%s at %s is %q, want %q", c.header, c.path, got, c.want)
		}
	}
}

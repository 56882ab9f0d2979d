package source_test

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"vitrine/internal/importing/source"
)

// written encodes a text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

func TestUndeclaredEncodings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text string }{
		{"shift_jis", "お気に入り"}, {"shift_jis", "日本語の天気予報"}, {"shift_jis", "カメラとレンズ"}, {"euc-jp", "お気に入りのページ"}, {"euc-jp", "東京の地図を検索"},
		{"gb18030", "收藏夹"}, {"gb18030", "中文编程博客，学习"}, {"gb18030", "百度一下，你就知道"}, {"gb18030", "首页 - 新闻"},
		{"big5", "我的最愛"}, {"big5", "台灣新聞與音樂下載"}, {"euc-kr", "즐겨찾기"}, {"euc-kr", "네이버 뉴스, 한글 위키백과"},
		{"windows-1251", "Закладки"}, {"windows-1251", "Русская страница – «Новости»"}, {"windows-1251", "НОВОСТИ дня"}, {"koi8-r", "Закладки и новости"}, {"koi8-r", "Погода"},
		{"windows-1252", "Café"}, {"windows-1252", "Äpfel"}, {"windows-1252", "Grüße aus München"}, {"windows-1252", "l’été à la montagne"}, {"windows-1252", "Señor Núñez – ¿qué?"},
		{"windows-1252", "Blåbærsyltetøy"}, {"windows-1252", "naïve façade"}, {"windows-1252", "5 € / Stück"}, {"windows-1252", "São João, coração"}, {"windows-1252", "Über uns"},
		{"windows-1250", "Zażółć gęślą jaźń"}, {"windows-1250", "Žluťoučký kůň"}, {"windows-1253", "Καλημέρα κόσμε"},
	} {
		for kind, format := range map[string]string{"title": "<DT><A HREF=\"https://example.org/\">%</A>\n", "cell": "url,title\nhttps://example.org/,%\n", "line": "%"} {
			file := strings.Replace(format, "%", c.text, 1)
			decoded, err := source.Decode(strings.NewReader(written(t, c.name, file)), "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(decoded)
			if err != nil || string(got) != file || decoded.Encoding() != c.name {
				t.Errorf("%s of %q: read as %s: %q (%v)", kind, c.text, decoded.Encoding(), got, err)
			}
		}
	}
}

package page

import (
	"errors"
	"strings"
	"testing"
)

func TestReadOEmbed(t *testing.T) {
	t.Parallel()
	full := OEmbed{
		Type: "video", Title: "A & B", AuthorName: "Ada", AuthorURL: "https://a.example/ada", ProviderName: "Films",
		ProviderURL: "https://a.example/", HTML: `<iframe src="https://a.example/1"></iframe>`,
		ThumbnailURL: "https://a.example/1.jpg", Width: 640, Height: 360,
	}
	for _, c := range []struct {
		name, body string
		want       OEmbed
	}{
		{"JSON", `{"version":"1.0","type":"video","title":"A & B","author_name":"Ada","author_url":"https://a.example/ada","provider_name":"Films",
			"provider_url":"https://a.example/","html":"<iframe src=\"https://a.example/1\"></iframe>","thumbnail_url":"https://a.example/1.jpg","width":640,"height":360}`, full},
		{"XML", `<?xml version="1.0" encoding="utf-8" standalone="yes"?><oembed><version>1.0</version><type>video</type><title>A &amp; B</title>
			<author_name>Ada</author_name><author_url>https://a.example/ada</author_url><provider_name>Films</provider_name><provider_url>https://a.example/</provider_url>
			<html>&lt;iframe src="https://a.example/1"&gt;&lt;/iframe&gt;</html><thumbnail_url><![CDATA[https://a.example/1.jpg]]></thumbnail_url>
			<width>640</width><height>360px</height></oembed>`, full},
		{"XML with more in it", `<oembed><type>link</type><title>A<b>no</b>&nbsp;B</title><type2><type>rich</type></type2></oembed>`, OEmbed{Type: "link", Title: "A B"}},
		{"numbers as strings", `{"type":"rich","width":"640","height":" 360px "}`, OEmbed{Type: "rich", Width: 640, Height: 360}},
		{"relative numbers", `{"type":"rich","width":"100%","height":null}`, OEmbed{Type: "rich"}},
		{"fractions", `{"type":"rich","width":640.5,"height":1e2}`, OEmbed{Type: "rich", Width: 640, Height: 100}},
		{"numbers that cannot be", `{"type":"rich","width":-1,"height":1e99}`, OEmbed{Type: "rich"}},
		{"words for numbers", `{"type":"rich","width":"NaN","height":"Inf"}`, OEmbed{Type: "rich"}},
		{"odd values", `{"type":"rich","title":null,"author_name":["x"],"html":false,"url":{},"provider_name":7}`, OEmbed{Type: "rich", ProviderName: "7"}},
		{"photo", `{"type":" Photo ","url":"//a.example/1.jpg"}`, OEmbed{Type: "photo", URL: "https://a.example/1.jpg"}},
		{"addresses that are none", `{"type":"link","url":"javascript:alert(1)","thumbnail_url":"data:x","author_url":"/x","provider_url":"a.example"}`, OEmbed{Type: "link"}},
		{"entities and controls", `{"type":"link","title":" It&#8217;s\n\u0001 ","html":"a\u0000b"}`, OEmbed{Type: "link", Title: "It’s", HTML: "ab"}},
		{"blanks before", " \n\t{\"type\":\"link\"}", OEmbed{Type: "link"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadOEmbed([]byte(c.body), "")
			if err != nil || got != c.want {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestReadOEmbedRefuses(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"nothing":        ``,
		"an error":       `{"error":"not found"}`,
		"another type":   `{"type":"song"}`,
		"broken JSON":    `{"type":"video"`,
		"an array":       `[{"type":"video"}]`,
		"null":           `null`,
		"words":          `Not Found`,
		"a page":         `<!doctype html><html><head><title>Not found</title>`,
		"broken XML":     `<oembed><type>video</type`,
		"empty XML":      `<oembed/>`,
		"unknown entity": `<!DOCTYPE x [<!ENTITY a "b">]><oembed><type>&a;</type></oembed>`,
		"too long":       `{"type":"video","html":"` + strings.Repeat("x", maxAnswer) + `"}`,
		"deep JSON":      `{"type":"video","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
		"unclosed XML":   strings.Repeat("<oembed>", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if o, err := ReadOEmbed([]byte(body), ""); !errors.Is(err, ErrNoOEmbed) {
				t.Errorf("got %+v, %v", o, err)
			}
		})
	}
}

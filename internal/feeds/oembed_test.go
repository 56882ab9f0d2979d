package feeds_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/present"
)

// ask sends an oEmbed request for a page.
func ask(r *apptest.Rig, page string, more ...string) *apptest.Response {
	r.T.Helper()
	q := url.Values{"url": {page}}
	for i := 0; i+1 < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return get(r, "/oembed?"+q.Encode())
}

func TestOEmbed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Web("example.com/fern.png", apptest.Serve("image/png", apptest.PNG(t, 1600, 800)))
	moss := r.Channel("ada", `"Moss" <i>`, "public")
	text := r.Block("ada", "A fern", moss)
	image := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "https://example.com/fern.png", "title": "Fern", "channel_ids": []int64{moss}}).
		Want(http.StatusCreated).Int("id")
	r.WorkJobs()
	block := func(id int64) string { return fmt.Sprintf("%s/block/%d", apptest.Base, id) }

	page := apptest.Base + "/ada/moss-i"
	channel := ask(r, page).Want(http.StatusOK)
	same(t, "type", channel.Str("version")+" "+channel.Str("type"), "1.0 rich")
	same(t, "provider", channel.Str("provider_name")+" "+channel.Str("provider_url"), "Vitrine "+apptest.Base+"/")
	same(t, "author", channel.Str("author_name")+" "+channel.Str("author_url"), "Ada "+apptest.Base+"/ada")
	same(t, "frame", channel.Str("html"), `<iframe src="`+page+`/embed" title="&#34;Moss&#34; &lt;i&gt;" width="800" height="600" style="border:0" loading="lazy"></iframe>`)
	same(t, "size", fmt.Sprint(channel.Int("width"), channel.Int("height"), channel.Int("thumbnail_width")), "800 600 1200")
	small := ask(r, page, "maxwidth", "300", "maxheight", "200")
	same(t, "size within bounds", fmt.Sprint(small.Int("width"), small.Int("height")), "300 200")
	has(t, "frame within bounds", small.Str("html"), `width="300" height="200"`)
	if _, there := small.Lookup("thumbnail_url"); there {
		t.Error("the card is larger than the bounds")
	}

	photo := ask(r, block(image)).Want(http.StatusOK)
	same(t, "photo", photo.Str("type")+fmt.Sprint(" ", photo.Int("width"), photo.Int("height")), "photo 1200 600")
	get(r, strings.TrimPrefix(photo.Str("url"), apptest.Base)).Want(http.StatusOK)
	photo = ask(r, block(image), "maxwidth", "900")
	same(t, "photo within bounds", fmt.Sprint(photo.Int("width"), photo.Int("height")), "800 400")
	same(t, "photo that is too large", ask(r, block(image), "maxheight", "20").Str("type"), "link")
	same(t, "text", ask(r, block(text)).Str("type")+" "+ask(r, block(text)).Str("title"), "link A fern")
	same(t, "user", ask(r, apptest.Base+"/ada").Str("title"), "Ada")
	r.Group("Engines", "ada")
	same(t, "group", ask(r, apptest.Base+"/group/engines/").Str("title"), "Engines")

	var doc struct {
		XMLName xml.Name `xml:"oembed"`
		Title   string   `xml:"title"`
		HTML    string   `xml:"html"`
	}
	res := ask(r, page, "format", "xml").Want(http.StatusOK)
	if err := xml.Unmarshal(res.Body, &doc); err != nil {
		t.Fatal(err)
	}
	same(t, "XML", doc.Title+doc.HTML, `"Moss" <i>`+channel.Str("html"))
	same(t, "type of XML", res.Header.Get("Content-Type"), "text/xml; charset=utf-8")

	// The address that pages name is answered.
	named := (&present.Addresses{Site: apptest.Base}).OEmbed(page, "json")
	same(t, "discovered", string(get(r, strings.TrimPrefix(named, apptest.Base)).Want(http.StatusOK).Body), string(channel.Body))
}

func TestOEmbedRefuses(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Channel("ada", "Moss", "public")
	page := apptest.Base + "/ada/moss"
	for _, c := range []struct {
		page   string
		more   []string
		status int
	}{
		{page, []string{"format", "yaml"}, 501},
		{page, []string{"maxwidth", "wide"}, 400},
		{page, []string{"maxwidth", "0"}, 400},
		{page, []string{"maxheight", "-1"}, 400},
		{page, []string{"maxheight", "99999999999999999999"}, 400},
		{"", nil, 404},
		{apptest.Base, nil, 404},
		{apptest.Base + "/", nil, 404},
		{apptest.Base + "/eve", nil, 404},
		{apptest.Base + "/ada/fern", nil, 404},
		{apptest.Base + "/ada/moss/print", nil, 404},
		{apptest.Base + "/settings/profile", nil, 404},
		{apptest.Base + "/block/moss", nil, 404},
		{apptest.Base + "/block/99999999999999999999", nil, 404},
		{apptest.Base + "/ada/\x00x", nil, 404},
		{apptest.Base + "/ada/%ff", nil, 404},
		{"https://elsewhere.test/ada/moss", nil, 404},
		{"https://vitrine.test@elsewhere.test/ada/moss", nil, 404},
		{"https://ada@vitrine.test/ada/moss", nil, 404},
		{"https://vitrine.test.elsewhere.test/ada/moss", nil, 404},
		{"javascript://vitrine.test/ada/moss", nil, 404},
		{"//vitrine.test/ada/moss", nil, 404},
		{page + "?" + strings.Repeat("a", 4096), nil, 404},
	} {
		if res := ask(r, c.page, c.more...); res.Status != c.status {
			t.Errorf("%.80q %v: %d, want %d", c.page, c.more, res.Status, c.status)
		}
	}
	get(r, "/oembed").Want(http.StatusNotFound)
	get(r, "/oembed?url=%zz").Want(http.StatusBadRequest)
	ask(r, strings.ToUpper(apptest.Base)+"/ada/moss").Want(http.StatusOK)
	ask(r, page+"?page=2#top").Want(http.StatusOK)
	r.Do("", http.MethodPost, "/oembed", nil).Want(http.StatusMethodNotAllowed)
}

package site_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// upload sends a form with fields, followed by files given as pairs of name and content.
func (b *browser) upload(path string, fields []string, files ...string) *page {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	for i := 0; i+1 < len(files); i += 2 {
		part, err := w.CreateFormFile("file", files[i])
		if err != nil {
			b.t.Fatal(err)
		}
		_, _ = part.Write([]byte(files[i+1]))
	}
	_ = w.Close()
	return b.multipart(path, w.FormDataContentType(), body.String())
}

func (b *browser) multipart(path, contentType, body string) *page {
	b.t.Helper()
	req := httptest.NewRequestWithContext(b.t.Context(), "POST", b.base+path, strings.NewReader(body))
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range b.cookies {
		req.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, req)
	p := &page{t: b.t, from: "POST " + path, status: w.Code, header: w.Header(), body: w.Body.String(), browser: b}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		p.wellFormed()
	}
	return p
}

func TestCollectAdd(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := member(t, r, "ada"), member(t, r, "eve")
		ada.post("/new", "title", "Ferns").leads("/ada/ferns")
		at := "/ada/ferns/add"
		ada.get(at).want(200).says("Add to Ferns")
		eve.get(at).want(403)
		eve.post(at, "value", "x").want(403)
		ada.post(at).want(422).says("Type or paste something")
		ada.post(at, "value", "a text", "title", strings.Repeat("x", 256)).want(422).says("a text", "Must be at most 255 characters long.")
		for range 2 {
			ada.post(at, "value", "a text", "once", "k").leads("/ada/ferns")
		}
		for range 2 {
			ada.upload(at, []string{"once", "u", "title", "Leaf"}, "a.txt", "one", "b.txt", "two").leads("/ada/ferns")
		}
		var many []string
		for i := range 100 {
			many = append(many, fmt.Sprint(i, ".txt"), fmt.Sprint("file ", i))
		}
		ada.upload(at, nil, many...).leads("/ada/ferns")
		ada.upload(at, nil, "empty.txt", "", "b.txt", "fine", "\u202egnp.txt", "x").want(422).says("empty.txt", "The file is empty.", "2 files were added.")
		ada.multipart(at, "multipart/form-data", "x").want(400)
		ada.multipart(at, "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.txt\"\r\n\r\nhal").
			want(422).says("The upload stopped before its end.")
		ada.multipart(at, "multipart/form-data; boundary=b", "").want(422).says("The upload stopped")
		ada.post("/save/file", "name", "a/b").want(400)
		ada.post("/save/file", "name", "a.txt", "type", "text/plain").want(200).says(`"value":"https://vitrine.test/uploads/`)
		c, err := r.S.App.Collections.Channel(t.Context(), domain.Actor{}, refOf("ferns"))
		if err != nil || c.Blocks != 1+2+100+2 {
			t.Errorf("%d blocks, %v", c.Blocks, err)
		}
	}, people)
}

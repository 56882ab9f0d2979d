package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/andybalholm/brotli"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// A web page is a Link regardless of how its server sends it.
func TestContentBodies(t *testing.T) {
	t.Parallel()
	const page = "<html><head><title>The page</title></head><body>x</body></html>"
	var packed bytes.Buffer
	w := brotli.NewWriter(&packed)
	_, _ = w.Write([]byte(page))
	_ = w.Close()
	r := apptest.New(t)
	for name, c := range map[string]struct {
		header map[string]string
		status int
		body   string
		title  string
	}{
		"brotli":       {map[string]string{"Content-Type": "text/html", "Content-Encoding": "br"}, 200, packed.String(), "The page"},
		"utf8":         {map[string]string{"Content-Type": "text/html", "Content-Encoding": "utf-8"}, 200, page, "The page"},
		"twice":        {map[string]string{"Content-Type": "text/html, text/html"}, 200, page, "The page"},
		"quotes":       {map[string]string{"Content-Type": "text/html; charset='windows-1251'"}, 200, "<title>\xcc\xe8\xf0</title>", "Мир"},
		"control":      {map[string]string{"Content-Type": "text/html"}, 200, "\x02" + page, "The page"},
		"xml":          {map[string]string{"Content-Type": "application/xml"}, 200, `<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html xmlns="http://www.w3.org/1999/xhtml"><head><title>The page</title></head></html>`, "The page"},
		"declared":     {map[string]string{"Content-Type": "application/xhtml+xml"}, 200, "<?xml version='1.0' encoding='windows-1251'?><html><head><title>\xcc\xe8\xf0</title></head></html>", "Мир"},
		"short":        {map[string]string{"Content-Type": "text/html", "Content-Length": "100000"}, 200, page, "The page"},
		"nothing":      {map[string]string{"Content-Type": "text/html"}, 200, "", "example.com"},
		"no-file":      {map[string]string{"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=x.bin"}, 200, "", "example.com"},
		"no-content":   {nil, 204, "", "example.com"},
		"reset":        {nil, 205, "", "example.com"},
		"no-title":     {map[string]string{"Content-Type": "text/html"}, 200, "<h1>A heading</h1>", "A heading"},
		"no-title-two": {map[string]string{"Content-Type": "text/html"}, 200, "<p>x</p>", "example.com"},
	} {
		r.Web("www.example.com/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			for key, value := range c.header {
				w.Header().Set(key, value)
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		got := processed(r, "http://www.example.com/"+name, nil)
		if got.Str("type") != "Link" || got.Str("state") != "available" || got.Str("title") != c.title {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
}

// The received part of an incomplete file is not stored: it would be another file.
func TestContentCutOffFile(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	picture := apptest.PNG(t, 300, 200)
	r.Web("example.com/a.png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(2*len(picture)))
		_, _ = w.Write(picture)
	})
	if got := processed(r, "http://example.com/a.png", nil); got.Str("state") == "available" {
		t.Errorf("it became %s", got.Body)
	}
}

// A page whose declared images are missing or cannot be fetched shows the first large image of its text.
func TestContentFirstPicture(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for name, size := range map[string][2]int{"tiny": {40, 40}, "large": {320, 200}, "other": {330, 200}} {
		r.Web("example.com/"+name+".png", apptest.Serve("image/png", apptest.PNG(t, size[0], size[1])))
	}
	r.Web("example.com/page", apptest.Serve("text/html", []byte(`<title>x</title><meta property="og:image" content="/gone.png">
		<body><img src="/tiny.png"><article><img src="/tiny.png"><img src="/large.png" alt="Wheels"><img src="/other.png"></article>`)))
	holds(t, processed(r, "http://example.com/page", nil), map[string]any{"type": "Link", "image.width": 320, "image.alt_text": "Wheels"})
	r.Web("example.com/small", apptest.Serve("text/html", []byte(`<title>x</title><img src="/tiny.png"><img src="/gone.png">`)))
	holds(t, processed(r, "http://example.com/small", nil), map[string]any{"type": "Link", "image": nil})
}

// document returns a PDF with one line of text.
func document(text string) string {
	draw := "BT /F 24 Tf 20 100 Td (" + text + ") Tj ET"
	return "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n" +
		"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>\nendobj\n" +
		"4 0 obj\n<< /Length " + strconv.Itoa(len(draw)) + " >>\nstream\n" + draw + "\nendstream\nendobj\n" +
		"5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\ntrailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n"
}

// The text of a PDF is searchable, whether it was uploaded or linked, also after edits and an undone removal, and
// appears in no response.
func TestContentDocumentText(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		if _, err := r.S.App.SetTier(t.Context(), domain.Ref{Slug: "ada"}, domain.TierPremium); err != nil {
			t.Fatal(err)
		}
		r.Web("example.com/linked", apptest.Serve("application/pdf", []byte(document("Patterns algebraical"))))
		for word, value := range map[string]string{
			"algebraical": "http://example.com/linked",
			"loom":        sent(r, "ada", "notes.pdf", "application/pdf", document("Flowers of the loom")),
		} {
			got := processed(r, value, nil)
			holds(t, got, map[string]any{"type": "Attachment", "state": "available", "attachment.content_type": "application/pdf"})
			id := got.Int("id")
			finds := func(when string) {
				t.Helper()
				found := r.Get("ada", "/v3/search?query=%s", word).Want(http.StatusOK)
				if found.Int("meta.total_count") != 1 || found.Int("data.0.id") != id {
					t.Errorf("%s, a search for %s finds %s", when, word, found.Body)
				}
			}
			finds("at first")
			r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", id), `{"title":"Mine"}`).Want(http.StatusOK)
			finds("after an edit")
			channel := r.Channel("ada", "Documents", "public")
			r.Connect("ada", "Block", id, channel)
			actor := domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}
			removed, err := r.S.App.RemoveItem(t.Context(), actor, domain.Ref{ID: channel}, domain.BlockRef(domain.BlockID(id)))
			if err != nil {
				t.Fatal(err)
			}
			if back, err := r.S.App.UndoRemoval(t.Context(), actor, removed.Undo); err != nil || back.Count != 1 {
				t.Fatalf("the undo restores %d items: %v", back.Count, err)
			}
			r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", id), `{"description":"Ours"}`).Want(http.StatusOK)
			finds("after an undone removal and an edit")
			for _, path := range []string{fmt.Sprintf("/v3/blocks/%d", id), fmt.Sprintf("/v2/blocks/%d", id), fmt.Sprintf("/v3/channels/%d/contents", channel)} {
				if answer := r.Get("ada", "%s", path).Want(http.StatusOK); bytes.Contains(answer.Body, []byte(word)) {
					t.Errorf("%s has the text: %s", path, answer.Body)
				}
			}
		}
	})
}

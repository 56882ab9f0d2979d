package site_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/collections"
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

// Files of a form keep their order above the earlier items, lines of addresses become links once the user has said
// so, and a script learns the new connections, which it can undo.
func TestCollectOrder(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := member(t, r, "ada"), member(t, r, "eve")
		ada.post("/new", "title", "Ferns", "visibility", "closed").leads("/ada/ferns")
		at := "/ada/ferns/add"
		contents := func(want ...string) (ids []string) {
			t.Helper()
			all, err := r.S.App.Collections.Contents(t.Context(), domain.Actor{}, refOf("ferns"),
				collections.ContentsInput{Sort: domain.ContentSort{Key: domain.ByPosition, Desc: true}, Page: domain.Page{Number: 1, Per: 100}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, item := range all.Items {
				ids = append(ids, fmt.Sprint(int64(item.Connection.ID)))
				switch b := item.Block; {
				case b.Title != nil:
					got = append(got, *b.Title)
				case b.ValueURL != nil && !strings.Contains(*b.ValueURL, "/uploads/"):
					got = append(got, *b.ValueURL)
				case b.Content != nil:
					got = append(got, b.Content.Markdown)
				default:
					got = append(got, "file")
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("contents %q, want %q", got, want)
			}
			return ids
		}
		ada.post(at, "value", "first").leads("/ada/ferns")
		ada.upload(at, []string{"title", "Leaf"}, "a.txt", "one", "b.txt", "two", "c.txt", "three").leads("/ada/ferns")
		ids := contents("Leaf", "file", "file", "first")
		ada.post("/connections/take-back", "connection", ids[1], "connection", ids[2], "connection", ids[0], "next", "/ada/ferns").leads("/ada/ferns").
			follow().says("3 additions were undone.")
		ids = contents("first")
		eve.post("/connections/take-back", "connection", ids[0], "next", "/ada/ferns").leads("/ada/ferns").follow().says("Kept, since")
		newBrowser(t, r).post("/connections/take-back", "connection", ids[0]).leads("/sign-in?next=%2Fconnections%2Ftake-back")
		ada.post("/connections/take-back", "connection", "x", "connection", "-1").want(400)
		contents("first")

		lines := "https://example.org/a\n\n  https://example.org/b  \nhttps://example.org/c"
		for _, as := range []string{"", "other"} {
			ada.post(at, "value", lines, "as", as).want(200).says("These are 3 addresses.", "Add 3 links", "Add one text", "https://example.org/b")
		}
		contents("first")
		for range 2 {
			ada.post(at, "value", lines, "as", "links", "once", "k", "title", "not theirs").leads("/ada/ferns")
		}
		contents("https://example.org/a", "https://example.org/b", "https://example.org/c", "first")
		ada.post(at, "value", lines, "as", "text").leads("/ada/ferns")
		ada.post(at, "value", "https://example.org/d\nand a word").leads("/ada/ferns")
		contents("https://example.org/d\nand a word", lines, "https://example.org/a", "https://example.org/b", "https://example.org/c", "first")
		many := strings.Repeat("https://example.org/\n", 101)
		ada.post(at, "value", many, "as", "links").want(422).says("At most 100 addresses can be added at once", "Add one text").hides("Add 101 links")
		ada.upload(at, []string{"value", "a text", "title", "of the text"}, "a.txt", "one").leads("/ada/ferns")
		two := contents("file", "of the text", "https://example.org/d\nand a word", lines, "https://example.org/a", "https://example.org/b", "https://example.org/c", "first")
		ada.post("/connections/take-back", "connection", two[0], "connection", two[1]).leads("/")

		ada.header.Set("Accept", "application/json, text/html")
		made := ada.post(at, "value", "by a script", "beside", ids[0], "side", "below").want(201)
		var answer []struct{ Block, Connection int64 }
		if err := json.Unmarshal([]byte(made.body), &answer); err != nil || len(answer) != 1 {
			t.Fatalf("answer %s: %v", made.body, err)
		}
		ada.post(at, "value", lines, "upload", "https://vitrine.test/uploads/none").want(200).says("These are 3 addresses.")
		all := contents("https://example.org/d\nand a word", lines, "https://example.org/a", "https://example.org/b", "https://example.org/c", "first", "by a script")
		if fmt.Sprint(answer[0].Connection) != all[6] {
			t.Errorf("answered %+v, contents %v", answer, all)
		}
		ada.post(at, "value", "").want(422).says("Type or paste something")
	}, people)
}

package site_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/media/mediatest"
)

// document returns a PDF with a page for each line of text.
func document(lines ...string) []byte {
	kids := ""
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	for _, line := range lines {
		text := "BT /F 24 Tf 20 100 Td (" + line + ") Tj ET"
		kids += fmt.Sprintf("%d 0 R ", len(objects)+1)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 200] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>", len(objects)+2),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(lines))
	var file bytes.Buffer
	table := ""
	file.WriteString("%PDF-1.4\n")
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := file.Len()
	fmt.Fprintf(&file, "xref\n0 %[1]d\n0000000000 65535 f \n%[2]strailer\n<< /Size %[1]d /Root 1 0 R >>\nstartxref\n%[3]d\n%%%%EOF\n", len(objects)+1, table, at)
	return file.Bytes()
}

// uploadedFile creates an Attachment from a file in a channel of ada's, and returns its id.
func uploadedFile(t *testing.T, r *apptest.Rig, channel int64, name string, file []byte) int64 {
	t.Helper()
	got := r.Do("ada", "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": name, "content_type": "application/octet-stream"}}}).Want(201)
	address := got.Str("files.0.upload_url")
	r.Do("", "PUT", strings.TrimPrefix(address, apptest.Base), file, "Content-Type", "application/octet-stream").Want(200)
	value, _, _ := strings.Cut(address, "?")
	id := r.Block("ada", value, channel)
	r.WorkJobs()
	if kind := r.Get("ada", "/v3/blocks/%d", id).Str("type"); kind != "Attachment" {
		t.Fatalf("%s becomes a block of the type %s", name, kind)
	}
	return id
}

// Pages of documents are rendered for those who may read the document, and removed with it.
func TestDocumentPages(t *testing.T) {
	t.Parallel()
	folder := ""
	r := apptest.New(t, func(c *config.Config) { folder = c.FilesPath() })
	lines := make([]string, 21)
	for i := range lines {
		lines[i] = fmt.Sprintf("leaf %d of <the> book", i+1)
	}
	lines[20] = "the last leaf has a Fern"
	papers := r.Channel("ada", "Papers", "private")
	block := uploadedFile(t, r, papers, "book.pdf", document(lines...))
	ada, guest, eve := entered(t, r, "ada"), newBrowser(t, r), entered(t, r, "eve")
	at := fmt.Sprint("/block/", block)
	ada.get(at).want(200).says("Show the pages", at+"/pages")
	guest.get(at + "/pages").want(404)
	eve.get(at + "/pages").want(404)
	p := ada.get(at+"/pages").want(200).says(`alt="Page 1 of 21"`, `width="1600" height="534"`, `id="page-20"`, "leaf 3 of <the> book", `rel="next"`, "data-zoom").hides(`id="page-21"`)
	page := strings.TrimPrefix(p.find(`<img src="([^"]+/page-3\.jpg)"`), apptest.Base)
	ada.get(at+"/pages?page=2").want(200).says(`id="page-21"`, `rel="prev"`).hides(`id="page-20"`)
	for _, missing := range []string{"0", "3", "x", "99999999999999"} {
		ada.get(at + "/pages?page=" + missing).want(404)
	}
	ada.get(at+"/pages?q=+the%20%20LAST+leaf").want(200).says("1 page contains this", at+"/pages?page=2#page-21", "the last leaf has a Fern").hides(`id="sheets"`)
	ada.get(at + "/pages?q=nothing+here").want(200).says("No page contains this.")
	ada.get(at + "/pages?q=" + strings.Repeat("x", 201)).want(400)

	// Links keep the channel from which the reader came, if it has the document.
	in := fmt.Sprint("in=", papers)
	ada.get(at + "?" + in).want(200).says(`href="` + at + "/pages?" + in + `"`)
	ada.get(at+"/pages?"+in).want(200).says(`href="`+at+"?"+in+`"`, fmt.Sprintf(`name="in" value="%d"`, papers), at+"/pages?"+in+"&page=2")
	ada.get(at+"/pages?q=last+leaf&"+in).want(200).says(at+"/pages?"+in+"&page=2#page-21", `<a href="`+at+"/pages?"+in+`"`)
	ada.get(at + "/pages?in=99999").want(200).says(`href="` + at + `"`).hides(`name="in"`)

	for range 2 { // rendered, then read from the storage
		got := r.Do("", "GET", page, nil).Want(200)
		img, err := jpeg.Decode(bytes.NewReader(got.Body))
		if err != nil || img.Bounds().Size() != image.Pt(1600, 534) || got.Header.Get("Content-Type") != "image/jpeg" || !strings.Contains(got.Header.Get("Content-Disposition"), "book.jpg") {
			t.Fatalf("a page is %v: %v", got.Header, err)
		}
	}
	for name, status := range map[string]int{"page-22.jpg": 422, "page-501.jpg": 404, "page-0.jpg": 404, "page-03.jpg": 404, "page-+3.jpg": 404, "page--1.jpg": 404, "page-3.png": 404} {
		r.Do("", "GET", strings.Replace(page, "page-3.jpg", name, 1), nil).Want(status)
	}
	r.Do("", "GET", strings.Replace(page, "/page-3.jpg", "0/page-3.jpg", 1), nil).Want(404)
	preview := strings.TrimPrefix(r.Get("ada", "/v3/blocks/%d", block).Str("image.src"), apptest.Base)
	r.Do("", "GET", preview[:strings.LastIndex(preview, "/")]+"/page-1.jpg", nil).Want(404)

	stored := func() int {
		files, err := filepath.Glob(filepath.Join(folder, "pages/*/*/*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	if n := stored(); n != 2 {
		t.Errorf("%d objects for the outline and a page", n)
	}
	r.Do("ada", "DELETE", fmt.Sprint("/v3/blocks/", block), nil).Want(204)
	r.Do("", "GET", page, nil).Want(404)
	for range 2 {
		r.Clock.Advance(3 * 3600e9)
		if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := stored(); n != 0 {
		t.Errorf("%d objects are left of a deleted document", n)
	}
	checkHostileDocuments(t, r)
}

// checkHostileDocuments checks that documents that cannot be read get a message, and that a document with
// many pages shows the first ones.
func checkHostileDocuments(t *testing.T, r *apptest.Rig) {
	t.Helper()
	channel, guest := r.Channel("ada", "Public papers", "public"), newBrowser(t, r)
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"locked.pdf": {mediatest.Fixture(t, "locked.pdf"), "The document is locked by a password. Download"},
		"broken.pdf": {[]byte("%PDF-1.7\nnothing of the kind"), "The document is broken. Download"},
		"long.pdf":   {document(make([]string, 501)...), "You can read the first 500 of 501 pages here."},
	} {
		at := fmt.Sprintf("/block/%d/pages", uploadedFile(t, r, channel, name, c.file))
		guest.get(at).want(200).says(c.says)
		guest.get(at).want(200).says(c.says)
	}
	text := r.Block("ada", "only words", channel)
	guest.get(fmt.Sprintf("/block/%d", text)).want(200).hides("/pages")
	guest.get(fmt.Sprintf("/block/%d/pages", text)).want(404)
}

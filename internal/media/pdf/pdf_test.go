package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
	"vitrine/internal/media/source"
)

// onePage returns a PDF with a page of a size in points that draws content.
func onePage(width, height int, content string) []byte {
	return pdfOf(
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R >>", width, height),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
	)
}

// endless returns a PDF with a page for each line of text, and a page that draws ten forms. Each form
// draws ten others, and so on.
func endless(lines ...string) []byte {
	objects := pages(lines...)
	own := len(objects) + 1
	content := strings.Repeat("/X Do ", 10)
	objects = append(objects,
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents %d 0 R /Resources << /XObject << /X %d 0 R >> >> >>", own+1, own+2),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	for range 9 {
		objects = append(objects, fmt.Sprintf(
			"<< /Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /XObject << /X %d 0 R >> >> /Length %d >>\nstream\n%s\nendstream",
			len(objects)+2, len(content), content))
	}
	objects[1] = strings.Replace(objects[1], fmt.Sprintf("] /Count %d", len(lines)), fmt.Sprintf("%d 0 R] /Count %d", own, len(lines)+1), 1)
	return pdfOf(append(objects, "<< /Type /XObject /Subtype /Form /BBox [0 0 300 200] /Length 15 >>\nstream\n0 0 300 200 re f\nendstream")...)
}

func pdfOf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var table strings.Builder
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %[1]d\n0000000000 65535 f \n%[2]strailer\n<< /Size %[1]d /Root 1 0 R >>\nstartxref\n%[3]d\n%%%%EOF\n", len(objects)+1, table.String(), at)
	return b.Bytes()
}

// twoColours returns a red page whose lower half is blue.
func twoColours() []byte {
	return onePage(300, 200, "1 0 0 rg 0 0 300 200 re f 0 0 1 rg 0 0 300 100 re f")
}

func TestRead(t *testing.T) {
	t.Parallel()
	p := New(224 << 20)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	file := bytes.NewReader(twoColours())
	k, err := filetype.Detect(t.Context(), file, "a.txt")
	if err != nil || k.Class != filetype.Document {
		t.Fatalf("kind %+v, error %v", k, err)
	}
	checkPage(t, p, file)

	// Failures with one document do not affect the next.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := p.Read(ended, file); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	down := errors.New("the disk is gone")
	if _, _, err := p.Read(t.Context(), mediatest.Failing{File: file, Err: down}); !errors.Is(err, down) {
		t.Errorf("with a source that fails: %v", err)
	}
	p.pageTimeout, p.textTimeout = 1, 1
	if page, text, err := p.Read(t.Context(), file); page != nil || text != "" || mediatest.Reason(err) != "The document takes too long to show" {
		t.Errorf("without time: %d bytes, %q, %v", len(page), text, err)
	}
	p.pageTimeout, p.textTimeout = time.Second, textTimeout
	if page, _, err := p.Read(t.Context(), bytes.NewReader(endless())); page != nil || mediatest.Reason(err) == "" {
		t.Errorf("neither time nor memory ended an endless document: %d bytes, %v", len(page), err)
	}
	p.pageTimeout = pageTimeout
	for name, broken := range map[string][]byte{
		"no PDF":    []byte("%PDF-1.7\nnothing of the kind"),
		"truncated": twoColours()[:150],
		"empty":     nil,
		"no page":   bytes.Replace(twoColours(), []byte("/Kids [3 0 R] /Count 1"), []byte("/Kids [     ] /Count 0"), 1),
		"loop":      bytes.Replace(twoColours(), []byte("/Kids [3 0 R]"), []byte("/Kids [2 0 R]"), 1),
	} {
		if page, text, err := p.Read(t.Context(), bytes.NewReader(broken)); page != nil || text != "" || mediatest.Reason(err) != "The document is broken" {
			t.Errorf("%s: %d bytes, %q, %v", name, len(page), text, err)
		}
	}
	if _, _, err := p.Read(t.Context(), bytes.NewReader(mediatest.Fixture(t, "locked.pdf"))); mediatest.Reason(err) != "The document is locked by a password" {
		t.Errorf("with a password: %v", err)
	}
	checkPage(t, p, file)

	checkText(t, p)
	checkParts(t, p)
	checkOnce(t, p, file)
	checkPages(t, p)
	p.sleep()
	if p.pdfium != nil {
		t.Error("PDFium is up after a rest")
	}
	checkPage(t, p, file)
}

func checkPage(t *testing.T, p *Printer, file source.File) {
	t.Helper()
	page, _, err := p.Read(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 1600 || b.Dy() != 1067 {
		t.Errorf("a page of %v", b)
	}
	red, blue := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}
	for i, c := range mediatest.Corners(img) {
		if want := [4]color.NRGBA{red, red, blue, blue}[i]; !mediatest.Near(c, want, 8) {
			t.Errorf("quarter %d is %v, want %v", i, c, want)
		}
	}
}

// slow returns a PDF with text on a background that takes hours to render.
func slow(text string) []byte {
	content := "/S sh BT /F 24 Tf 20 100 Td (" + text + ") Tj ET"
	program := "{" + strings.Repeat("sin ", 50_000) + "pop}"
	return pdfOf(
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /Shading << /S 6 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /ShadingType 1 /ColorSpace /DeviceGray /Domain [0 1 0 1] /Matrix [600 0 0 200 0 0] /Function 7 0 R >>",
		fmt.Sprintf("<< /FunctionType 4 /Domain [0 1 0 1] /Range [0 1] /Length %d >>\nstream\n%s\nendstream", len(program), program),
	)
}

// book writes a PDF of pages with a line of text each.
func book(lines ...string) []byte { return pdfOf(pages(lines...)...) }

// pages returns the objects of a book.
func pages(lines ...string) []string {
	kids := ""
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"}
	for _, line := range lines {
		content := "BT /F 24 Tf 20 100 Td (" + line + ") Tj ET"
		kids += fmt.Sprintf("%d 0 R ", len(objects)+1)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 200] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>", len(objects)+2),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(lines))
	return objects
}

func checkText(t *testing.T, p *Printer) {
	t.Helper()
	long := slices.Repeat([]string{strings.Repeat("seven! ", 30)}, maxTextPages+10)
	for name, c := range map[string]struct {
		file   []byte
		want   string
		reason string
	}{
		"pages":     {book("The analytical engine", "weaves algebraical patterns", "Gr\xfc\xdfe"), "The analytical engine\n\nweaves algebraical patterns\n\nGrüße", ""},
		"no text":   {onePage(100, 100, "0 0 100 100 re f"), "", ""},
		"locked":    {mediatest.Fixture(t, "locked.pdf"), "", "The document is locked by a password"},
		"broken":    {[]byte("%PDF-1.7\nnothing of the kind"), "", "The document is broken"},
		"empty":     {nil, "", "The document is broken"},
		"bad page":  {bytes.Replace(book("one", "two", "three"), []byte("/Kids [4 0 R 6 0 R"), []byte("/Kids [4 0 R 9 9 R"), 1), "one\n\nthree", ""},
		"very long": {book(long...), "", ""},
	} {
		_, got, err := p.Read(t.Context(), bytes.NewReader(c.file))
		if reason := mediatest.Reason(err); reason != c.reason || (err == nil) != (c.reason == "") || err == nil && name != "very long" && got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if n := utf8.RuneCountInString(got); name == "very long" && (n < maxText-1000 || n > maxText+2*maxTextPages) {
			t.Errorf("%s: %d characters", name, n)
		}
	}
	for text, want := range map[string]string{
		"a\x02\r\nb c\x02d": "ab c-d", "\uE001\uE002\uFFFD x": "", "one\uFFFE two\x00": "one two", "a\r\nb": "a\nb",
	} {
		if got := legible(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// checkParts checks that a failure with the page does not affect the text, and vice versa.
func checkParts(t *testing.T, p *Printer) {
	t.Helper()
	const late = "The document takes too long to show"
	text := book("one", "two")
	for name, c := range map[string]struct {
		file                 []byte
		pageLimit, textLimit time.Duration
		page                 bool
		text, reason         string
	}{
		"both":             {text, pageTimeout, textTimeout, true, "one\n\ntwo", ""},
		"no time for page": {text, 1, textTimeout, false, "one\n\ntwo", late},
		"no time for text": {text, pageTimeout, 1, true, "", late},
		"slow page":        {slow("one"), time.Second, textTimeout, false, "one", late},
		"bad first page":   {bytes.Replace(text, []byte("/Kids [4 0 R"), []byte("/Kids [9 9 R"), 1), pageTimeout, textTimeout, false, "two", "The document is broken"},
		"endless text":     {endless("one"), pageTimeout, time.Second, true, "one", ""},
	} {
		p.pageTimeout, p.textTimeout = c.pageLimit, c.textLimit
		page, text, err := p.Read(t.Context(), bytes.NewReader(c.file))
		if (page != nil) != c.page || text != c.text || mediatest.Reason(err) != c.reason || (err == nil) != (c.reason == "") {
			t.Errorf("%s: %d bytes, %q, %v", name, len(page), text, err)
		}
	}
	p.pageTimeout, p.textTimeout = pageTimeout, textTimeout
}

// checkOnce checks that the page and the text are read in one instance.
func checkOnce(t *testing.T, p *Printer, file source.File) {
	t.Helper()
	pdfium, done, err := p.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	d := &document{pdfium: pdfium, in: source.New(t.Context(), file)}
	defer d.close()
	if _, err := d.page(0, pageQuality, pageTimeout); err != nil {
		t.Fatal(err)
	}
	first := d.worker
	if _, err := d.text(textTimeout); err != nil || first == nil || d.worker != first {
		t.Errorf("the text is read in %p after %p: %v", d.worker, first, err)
	}
}

// checkPages checks the pages that are read one by one.
func checkPages(t *testing.T, p *Printer) {
	t.Helper()
	ctx := t.Context()
	file := bytes.NewReader(bytes.Replace(book("The analytical engine", "weaves", "flowers"), []byte("/Kids [4 0 R 6 0 R"), []byte("/Kids [4 0 R 9 9 R"), 1))
	o, err := p.Outline(ctx, file)
	want := []OutlinePage{{1600, 534, "The analytical engine"}, {1600, 2071, ""}, {1600, 534, "flowers"}}
	if err != nil || o.Count != 3 || !slices.Equal(o.Pages, want) {
		t.Fatalf("outline %+v, %v", o, err)
	}
	page, err := p.Page(ctx, file, 2)
	if err != nil {
		t.Fatal(err)
	}
	if img, _, err := image.Decode(bytes.NewReader(page)); err != nil || img.Bounds().Size() != image.Pt(1600, 534) {
		t.Errorf("page 3: %v, %v", img.Bounds(), err)
	}
	for _, n := range []int{3, 1 << 30} {
		if _, err := p.Page(ctx, file, n); mediatest.Reason(err) != "The document is broken" {
			t.Errorf("page %d: %v", n, err)
		}
	}
	long := bytes.NewReader(book(slices.Repeat([]string{"x"}, 10_000)...))
	if o, err := p.Outline(ctx, long); err != nil || o.Count != 10_000 || len(o.Pages) != MaxPages || o.Pages[MaxPages-1].Text != "x" {
		t.Errorf("10,000 pages: %d, %d, %v", o.Count, len(o.Pages), err)
	}
	for name, reason := range map[string]string{"locked.pdf": "The document is locked by a password"} {
		if _, err := p.Outline(ctx, bytes.NewReader(mediatest.Fixture(t, name))); mediatest.Reason(err) != reason {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, broken := range map[string][]byte{"no PDF": []byte("%PDF-1.7\nnothing"), "empty": nil,
		"no page": bytes.Replace(twoColours(), []byte("/Kids [3 0 R] /Count 1"), []byte("/Kids [     ] /Count 0"), 1)} {
		if o, err := p.Outline(ctx, bytes.NewReader(broken)); mediatest.Reason(err) != "The document is broken" {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	p.readTimeout = time.Second
	if _, err := p.Page(ctx, bytes.NewReader(slow("one")), 0); mediatest.Reason(err) != "The document takes too long to show" {
		t.Errorf("a slow page: %v", err)
	}
	p.textTimeout = time.Second
	if o, err := p.Outline(ctx, bytes.NewReader(endless("one"))); err != nil || o.Count != 2 || o.Pages[0].Text != "one" || o.Pages[1].Width == 0 {
		t.Errorf("an endless text: %+v, %v", o, err)
	}
	p.readTimeout, p.textTimeout = readTimeout, textTimeout
}

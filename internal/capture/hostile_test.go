package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"vitrine/internal/fetch"
)

func redirectTo(path string) file {
	return file{Handler: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, path, http.StatusFound) }}
}

// reasons returns why the copy lacks the part at a path.
func reasons(made *Copy, path string) (found string) {
	for _, m := range made.Missing {
		if strings.HasSuffix(m.Address, path) {
			found += m.Reason
		}
	}
	return found
}

func TestManyImages(t *testing.T) {
	t.Parallel()
	website := files{"/": written("<style>p{background:url(/style.png)}</style>", repeat(10_000, `<img src="/i%d.png">`)+"<p>The end</p>"), "/style.png": photo(1)}
	one := photo(2)
	for i := range 10_000 {
		website[fmt.Sprintf("/i%d.png", i)] = one
	}
	s := serve(t, website)
	limits := Default()
	limits.Parts = 50
	made, err := Page(context.Background(), client(t), s.URL+"/", limits)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.total(); n != 51 {
		t.Errorf("%d requests", n)
	}
	if made.Parts != 50 || made.Omitted != 9951 || len(made.Missing) != maxReported {
		t.Errorf("%d parts, %d omitted, %d reported", made.Parts, made.Omitted, len(made.Missing))
	}
	holds(t, made, "The end")
}

// An image that a page shows many times is fetched once, but counts each time.
func TestRepeatedImages(t *testing.T) {
	t.Parallel()
	large := picture(1) + strings.Repeat("x", 100_000)
	website := files{"/": written("", repeat(200, `<img src="/large.png#%d" alt="Picture %d">`)), "/large.png": {ContentType: "image/png", Body: large}}
	s := serve(t, website)
	limits := Default()
	limits.Bytes = 1 << 20
	made, err := Page(context.Background(), client(t), s.URL+"/", limits)
	if err != nil {
		t.Fatal(err)
	}
	if s.asked("/large.png") != 1 || len(made.HTML) > 1<<20 || len(made.HTML) < 500_000 || reasons(made, "/large.png") == "" {
		t.Errorf("%d requests, %d bytes, %v", s.asked("/large.png"), len(made.HTML), made.Missing)
	}
}

func TestPartsThatRedirect(t *testing.T) {
	t.Parallel()
	made := copyOf(t, files{"/": written("<link rel=stylesheet href=/a.css>", `<img src=/loop.png><img src=/moved.png><img src=/private.png>`),
		"/loop.png": redirectTo("/loop2.png"), "/loop2.png": redirectTo("/loop.png"), "/moved.png": redirectTo("/there.png"), "/there.png": photo(1),
		"/a.css": redirectTo("/css/b.css"), "/css/b.css": css("p{background:url(c.png)}"), "/css/c.png": photo(2), "/private.png": redirectTo("http://10.0.0.1/x.png")})
	if got := reasons(made, "/loop.png"); got != "The address redirects too often" {
		t.Error(got)
	}
	if got := reasons(made, "/private.png"); !strings.Contains(got, "not public") {
		t.Error(got)
	}
	if made.Parts != 3 {
		t.Errorf("%d parts", made.Parts)
	}
}

func TestPrivatePartsAreNotFetched(t *testing.T) {
	t.Parallel()
	made := copyOf(t, files{"/": written(`<link rel=stylesheet href="http://192.168.0.1/x.css">`, `<img src="http://169.254.169.254/latest"><iframe src="http://[fd00::1]/"></iframe><img src="file:///etc/passwd"><iframe src="file:///etc/passwd"></iframe>`)})
	if made.Parts != 0 || made.Omitted != 5 {
		t.Errorf("%d parts, %v", made.Parts, made.Missing)
	}
}

func TestStylesThatImportThemselves(t *testing.T) {
	t.Parallel()
	made := copyOf(t, files{"/": written(`<link rel=stylesheet href=/self.css><link rel=stylesheet href=/a.css><link rel=stylesheet href=/deep0.css>`, "<p>Text</p>"),
		"/self.css": css(`@import "self.css"; @import url(self.css?2); p{color:red}`),
		"/a.css":    css(`@import "b.css"; .a{color:red}`), "/b.css": css(`@import "a.css"; .b{color:red}`),
		"/deep0.css": css(`@import "deep1.css";`), "/deep1.css": css(`@import "deep2.css";`), "/deep2.css": css(`@import "deep3.css";`), "/deep3.css": css(`@import "deep4.css";`),
		"/deep4.css": css(`@import "deep5.css";`), "/deep5.css": css(`@import "deep6.css"; .five{}`), "/deep6.css": css(`.six{}`)})
	holds(t, made, ".b{color:red} .a{color:red}", ".five{}")
	lacks(t, made, ".six")
	if reasons(made, "/deep6.css") == "" {
		t.Error(made.Missing)
	}
}

// Style sheets that import each other a thousand times would fill the memory.
func TestStylesThatMultiply(t *testing.T) {
	t.Parallel()
	thousand := func(name string) file { return css(strings.Repeat(`@import "`+name+`";`, 1000)) }
	limits := Default()
	limits.Bytes = 1 << 20
	made := copyWith(t, files{"/": written(`<link rel=stylesheet href=/a.css>`, "<p>Text</p>"), "/a.css": thousand("b.css"), "/b.css": thousand("c.css"), "/c.css": thousand("d.css"), "/d.css": css(".d{}")}, limits)
	holds(t, made, "Text")
}

func TestKindsOfParts(t *testing.T) {
	t.Parallel()
	mhtml := "From: <Saved by Blink>\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>"
	made := copyOf(t, files{"/": written(`<link rel=stylesheet href=/page.css><link rel=stylesheet href=/mhtml.css><link rel=stylesheet href=/plain.css>`+
		`<style>@font-face{font-family:a;src:url(/html.woff2)} p{background:url(/script.png)}</style>`,
		`<img src=/page.png alt="A page"><img src=/wrong.jpg alt="Wrong label"><iframe src=/archive title="An archive"></iframe><iframe src=/photo.png title="A photo"></iframe><img src=/mhtml.png><p>Text`),
		"/page.css": markup("<style>.stolen{}</style>"), "/mhtml.css": {ContentType: "message/rfc822", Body: mhtml}, "/plain.css": {ContentType: "text/plain", Body: ".plain{}"},
		"/html.woff2": markup("<p>no font"), "/script.png": {ContentType: "image/png", Body: "<script>alert(1)</script>"},
		"/page.png": markup("<script>alert(2)</script>"), "/wrong.jpg": {ContentType: "text/html", Body: picture(3)}, "/archive": {ContentType: "multipart/related", Body: mhtml},
		"/photo.png": photo(4), "/mhtml.png": {ContentType: "image/svg+xml", Body: mhtml}})
	holds(t, made, ".plain{}", `<img alt="Wrong label" src="data:image/png;base64,`, ">An archive</a>", ">A photo</a>")
	lacks(t, made, "stolen", "alert", "font-face")
	if made.Parts != 2 || made.Omitted != 8 {
		t.Errorf("%d parts, %v", made.Parts, made.Missing)
	}
}

// A part may be an image for one request and a page for the next.
func TestPartsThatChange(t *testing.T) {
	t.Parallel()
	count := 0
	website := files{"/": written("", `<img src=/x><img src=/x><iframe src=/x title=Frame></iframe>`)}
	website["/x"] = file{Handler: func(w http.ResponseWriter, r *http.Request) {
		if count++; strings.HasPrefix(r.Header.Get("Accept"), "image") {
			_, _ = io.WriteString(w, picture(1))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>Now a page<script>alert(1)</script>")
	}}
	made := copyOf(t, website)
	holds(t, made, "Now a page")
	if strings.Count(string(made.HTML), `"data:image/png`) != 2 || count != 2 {
		t.Errorf("%d requests: %s", count, made.HTML)
	}
}

func TestEndOfStyle(t *testing.T) {
	t.Parallel()
	made := copyOf(t, files{"/": written(`<link rel=stylesheet href=/a.css>`, "<p>Text</p>"), "/a.css": css(`p::after{content:"</style><script>alert(1)</script>"} b{color:red}`)})
	holds(t, made, `<\/style><script>alert(1)</script>"} b{color:red}</style>`)
}

func TestDataAddresses(t *testing.T) {
	t.Parallel()
	inner := `<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script><image href='http://x.example/'/></svg>`
	made := copyOf(t, files{"/": written(`<style>@import "data:text/css,.imported{background:url(http://x.example/y)}"; i{background:url(data:text/html,<script>)}</style>`,
		`<img id=svg src="data:image/svg+xml,`+inner+`"><img id=html src="data:text/html,&lt;script>alert(1)&lt;/script>"><a href="data:text/html,x">A link</a>`+
			`<iframe src="data:text/html,&lt;p>Framed&lt;script>x&lt;/script>"></iframe><img id=broken src="data:image/png;base64,@@"><img id=lies src="data:text/html;base64,iVBORw0KGgoAAAANSUhEUg==">`)})
	holds(t, made, `.imported{background:url("data:,")}`, `<img id="html"/>`, `<a>A link</a>`, "Framed", `<img id="broken"/>`, `<img id="lies" src="data:image/png;base64,`)
	lacks(t, made, "alert", "x.example")
}

// A data: address with ten nested drawings, each inside the other.
func TestDrawingsInDrawings(t *testing.T) {
	t.Parallel()
	inside := `<svg xmlns="http://www.w3.org/2000/svg"/>`
	for range 6 {
		inside = `<svg xmlns="http://www.w3.org/2000/svg"><image href="` + dataAddress("image/svg+xml", []byte(inside)) + `"/></svg>`
	}
	made := copyOf(t, files{"/": written("", "<img src=a.svg><img src=bomb.svg><img src=deep.svg>"), "/a.svg": svg(inside),
		"/bomb.svg": svg(`<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg"><text>` + strings.Repeat("&b;", 1000) + `</text></svg>`),
		"/deep.svg": svg(`<svg xmlns="http://www.w3.org/2000/svg">` + strings.Repeat("<g>", 100_000))})
	if len(made.HTML) > 100_000 {
		t.Errorf("%d bytes", len(made.HTML))
	}
}

func TestHugePage(t *testing.T) {
	t.Parallel()
	s := serve(t, files{"/": {Handler: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		line := strings.Repeat("words ", 10_000)
		for range 200 << 20 / len(line) {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	}}})
	_, err := Page(context.Background(), client(t), s.URL+"/", Default())
	if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Reason != "The answer is larger than 8 MiB" {
		t.Errorf("%v", err)
	}
}

func TestNotAPage(t *testing.T) {
	t.Parallel()
	s := serve(t, files{"/photo": photo(1), "/mhtml": {ContentType: "multipart/related", Body: "MIME-Version: 1.0"}, "/deep": markup(strings.Repeat("<div>", 5000)),
		"/large": markup(strings.Repeat("<p>", 200_000)), "/formatting": markup(repeat(400, "<b id=%d>") + strings.Repeat("<p>x", 90_000))})
	for path, want := range map[string]string{"/photo": "The address is not a web page", "/mhtml": "The address is not a web page", "/deep": "The page has too many elements",
		"/large": "The page has too many elements", "/formatting": "The page has too many elements"} {
		_, err := Page(context.Background(), client(t), s.URL+path, Default())
		if e, ok := errors.AsType[*Error](err); !ok || e.Reason != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestTooLargeForTheFile(t *testing.T) {
	t.Parallel()
	s := serve(t, files{"/": markup(strings.Repeat("words ", 100_000))})
	limits := Default()
	limits.Bytes = 1 << 20
	if _, err := Page(context.Background(), client(t), s.URL+"/", limits); !errors.Is(err, errFile) {
		t.Error(err)
	}
}

// A site that asks for fewer requests gets none.
func TestBusySite(t *testing.T) {
	t.Parallel()
	refuses := file{Handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }}
	website := files{"/": written("", repeat(40, `<img src="/i%d.png">`))}
	for i := range 40 {
		website[fmt.Sprintf("/i%d.png", i)] = refuses
	}
	s := serve(t, website)
	made, err := Page(context.Background(), client(t), s.URL+"/", Default())
	if err != nil || made.Omitted != 40 {
		t.Errorf("%v, %v", made, err)
	}
	if n := s.total(); n > 1+parallel {
		t.Errorf("%d requests", n)
	}
}

// When the time is up, the page is copied without the parts that are missing.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	limits := Default()
	limits.Time = time.Second
	made := copyWith(t, files{"/": written("<link rel=stylesheet href=/slow.css>", "<p>Text</p>"),
		"/slow.css": {Handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}}, limits)
	holds(t, made, "Text")
	if got := reasons(made, "/slow.css"); got != errTime.Reason {
		t.Error(made.Missing)
	}
}

func TestFramesInThemselves(t *testing.T) {
	t.Parallel()
	s := serve(t, files{"/": written("", repeat(50, `<iframe src="/?%d" title="Frame %d"></iframe>`)+`<iframe src=/ title=Own></iframe>`)})
	made, err := Page(context.Background(), client(t), s.URL+"/", Default())
	if err != nil {
		t.Fatal(err)
	}
	holds(t, made, ">Own</a>")
	if n := s.total(); n > 60 {
		t.Errorf("%d requests", n)
	}
}

// Pages that are designed to be expensive to read.
func TestExpensivePages(t *testing.T) {
	t.Parallel()
	many := func(n int, text string) string { return strings.Repeat(text, n/len(text)) }
	const much = 1 << 18
	long := "/" + strings.Repeat("d/", 4000)
	for name, body := range map[string]string{
		"attributes":      "<p " + repeat(100_000, "a%d=b ") + ">",
		"styles":          many(much, `<p style="a:url(x)">`),
		"links":           many(much, `<a href=x>y</a>`),
		"long base":       `<base href="` + long + `">` + many(much, `<a href=x>y</a>`),
		"noscripts":       many(much, "<noscript><img src=x></noscript>"),
		"text in pieces":  many(much, "x</q>"),
		"foster parents":  "<table>" + many(much/4, "<b>x</b><td>"),
		"brackets in CSS": "<style>" + many(much, "{[(") + "</style>",
		"spaces in url":   "<style>a:url( " + many(much, " ") + "x",
		"comments in CSS": "<style>" + many(much, "/*x*/") + "</style>",
		"imports":         "<style>" + many(much, "@import x;") + "</style>",
		"imports of one":  "<style>" + many(much, `@import"x";`) + "</style>",
		"font faces":      "<style>" + many(much, "@font-face{src:url(x)}") + "</style>",
		"open font faces": "<style>" + many(much, "@font-face{") + "</style>",
		"open at-rules":   "<style>" + many(much, "@namespace(") + "</style>",
		"escapes":         "<style>" + many(much, `\75 rl(\`) + "</style>",
		"srcset":          `<img srcset="` + many(much, "a, ") + `">`,
		"nested frames":   many(much/4, `<iframe srcdoc="<iframe srcdoc='x'></iframe>"></iframe>`),
		"drawings":        many(much/2, `<svg><path fill="url(#a)"/></svg>`),
		"data addresses":  many(much/2, `<img src="data:image/svg+xml,<svg/>">`),
		"a tag left open": "<p>x<a href=\"" + many(much, "<a href="),
		"unicode ranges":  "<style>" + many(much, "@font-face{src:url(x);unicode-range:U+1-2,U+3-4,U+5}") + "</style><p>x",
		"animations":      many(much/4, "<svg><set attributeName=href to=x>"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := Default()
			limits.Time = 20 * time.Second
			s := serve(t, files{"/": markup(body)})
			made, err := Page(context.Background(), client(t), s.URL+"/", limits)
			if err != nil {
				if _, ok := errors.AsType[*Error](err); !ok {
					t.Error(err)
				}
				return
			}
			for _, problem := range requests(string(made.HTML)) {
				t.Error(problem)
				break
			}
		})
	}
}

// The memory for a copy stays within the bound that Limits states.
func TestMemory(t *testing.T) {
	website := files{"/": written("<link rel=stylesheet href=/a.css>", repeat(300, `<img src="/i%d.png">`)), "/a.css": css(strings.Repeat(`@import "b.css";`, 20)), "/b.css": css(strings.Repeat(".a{color:red}", 10_000))}
	for i := range 300 {
		website[fmt.Sprintf("/i%d.png", i)] = file{ContentType: "image/png", Body: picture(byte(i)) + strings.Repeat("x", 200_000)}
	}
	s := serve(t, website)
	from := client(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	made, err := Page(context.Background(), from, s.URL+"/", Default())
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	t.Logf("%d MiB in the file, %d MiB allocated", len(made.HTML)>>20, (after.TotalAlloc-before.TotalAlloc)>>20)
	if int64(len(made.HTML)) > Default().Bytes || len(made.HTML) < 24<<20 {
		t.Errorf("%d bytes", len(made.HTML))
	}
}

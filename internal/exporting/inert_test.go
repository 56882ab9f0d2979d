package exporting

import "testing"

func TestEntryExtension(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ extension, contentType, want string }{
		{"html", "text/html", ".html.txt"},
		{"HTML", "text/html; charset=utf-8", ".html.txt"},
		{"", "text/html", ".txt"},
		{"", "application/octet-stream", ".bin"},
		{"../x", "image/png", ".bin"},
		{"xhtml", "application/xhtml+xml", ".xhtml.txt"},
		{"svg", "image/svg+xml", ".svg"}, // cleaned when it was stored
		{"svg", "application/xml", ".svg.txt"},
		{"xml", "application/xml", ".xml.txt"},
		{"kml", "application/vnd.google-earth.kml+xml", ".kml.txt"},
		{"foo", "application/foo+xml", ".foo.txt"},
		{"3mf", "application/vnd.ms-package.3dmanufacturing-3dmodel+xml", ".3mf"},
		{"eml", "message/rfc822", ".eml.txt"},
		{"js", "text/javascript", ".js.txt"},
		{"exe", "application/vnd.microsoft.portable-executable", ".exe.txt"},
		{"", "application/x-executable", ".txt"},
		{"lnk", "application/x-ms-shortcut", ".lnk.txt"},
		{"url", "text/plain", ".url.txt"},
		{"sh", "text/x-shellscript", ".sh.txt"},
		{"hta", "text/plain", ".hta.txt"},
		{"svgz", "application/gzip", ".svgz.txt"},
		{"jpg", "image/jpeg", ".jpg"},
		{"pdf", "application/pdf", ".pdf"},
		{"txt", "text/plain; charset=utf-8", ".txt"},
		{"mp4", "video/mp4", ".mp4"},
		{"zip", "application/zip", ".zip"},
	} {
		if got := entryExtension(c.extension, c.contentType); got != c.want {
			t.Errorf("%q of the type %q becomes %q, not %q", c.extension, c.contentType, got, c.want)
		}
	}
}

package capture

import (
	"strings"
	"testing"
)

// film returns the beginning of an MP4 file, and as many bytes as wanted.
func film(size int) file {
	const head = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
	return file{ContentType: "video/mp4", Body: head + strings.Repeat("m", size-len(head))}
}

// Small videos and sounds are in the copy. Larger ones are missing, but their posters stay.
func TestMedia(t *testing.T) {
	t.Parallel()
	sound := file{ContentType: "audio/mpeg", Body: "ID3\x03\x00\x00\x00\x00\x00\x0a" + strings.Repeat("s", 500)}
	page := files{"/": markup(`<p>Watch</p><video controls autoplay poster=/poster.png><source src=/film.mp4 type=video/mp4><track src=/t.vtt></video>
		<audio src=/sound.mp3 controls></audio><video poster=/poster.png src=/long.mp4></video><video src=/page.html></video><video src="javascript:alert(1)"></video>`),
		"/film.mp4": film(900), "/sound.mp3": sound, "/long.mp4": film(2000), "/poster.png": photo(1), "/page.html": markup("<p>A page</p>")}
	limits := Default()
	limits.MediaBytes = 1000
	made := copyWith(t, page, limits)
	holds(t, made, `src="data:video/mp4;base64,`, `<audio controls="" src="data:audio/mpeg;base64,`, `poster="data:image/png;base64,`)
	lacks(t, made, "autoplay", "<track", "javascript", "/long.mp4")
	if strings.Count(string(made.HTML), "data:video/") != 1 || reasons(made, "/long.mp4") != errMedia.Reason || reasons(made, "/page.html") != errKind.Reason || made.Omitted != 3 {
		t.Errorf("%+v", made.Missing)
	}

	limits.AllMedia = 1000
	page["/"] = markup(`<video src=/film.mp4></video><video src=/other.mp4></video><p>Both`)
	page["/other.mp4"] = film(901)
	if made = copyWith(t, page, limits); strings.Count(string(made.HTML), "data:video/") > 1 || made.Omitted < 1 || made.Missing[0].Reason != errMedia.Reason {
		t.Errorf("%+v", made.Missing)
	}
}

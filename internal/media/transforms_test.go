package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/media/filetype"
	"vitrine/internal/media/mediatest"
)

// Files with properties for cropping, turning and mirroring are shown accordingly, in the order of
// the properties.
func TestTransforms(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	left := []byte("irot\x01")
	mirrored := []byte("imir\x01") // swaps left and right
	// The right half, 24 × 32 pixels: the centre is moved by 12 pixels.
	half := append([]byte("clap"), numbers(24, 1, 32, 1, 12, 1, 0, 1)...)
	tooLarge := append([]byte("clap"), numbers(480, 1, 32, 1, 0, 1, 0, 1)...)
	r, w, b, k := 0, 1, 2, 3 // red, white, blue and black: the quarters of the fixtures
	for name, c := range map[string]struct {
		properties [][]byte
		size       image.Point
		quarters   [4]int
	}{
		"as it is":              {nil, image.Pt(48, 32), [4]int{r, w, b, k}},
		"turned left":           {[][]byte{left}, image.Pt(32, 48), [4]int{w, k, r, b}},
		"mirrored":              {[][]byte{mirrored}, image.Pt(48, 32), [4]int{w, r, k, b}},
		"turned, then mirrored": {[][]byte{left, mirrored}, image.Pt(32, 48), [4]int{k, w, b, r}},
		"mirrored, then turned": {[][]byte{mirrored, left}, image.Pt(32, 48), [4]int{r, b, w, k}},
		"cropped":               {[][]byte{half}, image.Pt(24, 32), [4]int{w, w, k, k}},
		"cropped, then turned":  {[][]byte{half, left}, image.Pt(32, 24), [4]int{w, k, w, k}},
		"cropped to more":       {[][]byte{tooLarge}, image.Pt(48, 32), [4]int{r, w, b, k}},
	} {
		for fixture, kind := range map[string]string{"plain.heic": filetype.HEIC, "ten.heic": filetype.HEIC, "plain.avif": filetype.AVIF} {
			t.Run(name+"/"+fixture, func(t *testing.T) {
				t.Parallel()
				file := withProperties(t, mediatest.Fixture(t, fixture), c.properties)
				got, err := s.Render(t.Context(), bytes.NewReader(file), filetype.Kind{ContentType: kind}, []domain.ImageVersion{domain.SmallImage})
				if err != nil {
					t.Fatal(err)
				}
				if got.Width != c.size.X || got.Height != c.size.Y {
					t.Errorf("%d × %d pixels, want %v", got.Width, got.Height, c.size)
				}
				var want [4]color.NRGBA
				for i, quarter := range c.quarters {
					want[i] = mediatest.Quarters[quarter]
				}
				checkQuarters(t, got.Renditions[0], want)
			})
		}
	}
}

// Photographs of phones become images in every orientation with the default memory, even with
// alpha, more bits or full chroma.
func TestHEICInDefaultMemory(t *testing.T) {
	t.Parallel()
	s := NewStudio(Options{})
	t.Cleanup(func() { closeStudio(t, s) })
	for name, want := range map[string]struct {
		width, height int
		opaque        bool
	}{
		"12mp.heic":          {4032, 3024, true},
		"12mp-turned.heic":   {3024, 4032, true},
		"large-alpha.heic":   {2000, 1500, false},
		"large-deep.heic":    {2000, 1500, true},
		"large-deep444.heic": {2000, 1500, true},
	} {
		got, err := s.Render(t.Context(), bytes.NewReader(mediatest.Fixture(t, name)), filetype.Kind{ContentType: filetype.HEIC}, []domain.ImageVersion{domain.SmallImage})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Width != want.width || got.Height != want.height || got.Opaque != want.opaque {
			t.Errorf("%s: %d × %d, opaque %v; want %+v", name, got.Width, got.Height, got.Opaque, want)
		}
	}
}

func numbers(all ...uint32) (b []byte) {
	for _, n := range all {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// withProperties appends properties, each with a name and a body, to the primary
// item of a HEIC or AVIF file.
func withProperties(t *testing.T, file []byte, properties [][]byte) []byte {
	t.Helper()
	file = bytes.Clone(file)
	content := bytes.Index(file, []byte("mdat")) + 4
	// insert adds bytes at the end of nested boxes.
	insert := func(at int, added []byte, path ...string) {
		from := 0
		for _, name := range path {
			from += bytes.Index(file[from:], []byte(name)) - 4
			binary.BigEndian.PutUint32(file[from:], binary.BigEndian.Uint32(file[from:])+uint32(len(added)))
			from += 8
		}
		file = slices.Insert(file, at, added...)
	}
	primary := file[bytes.Index(file, []byte("pitm"))+9]
	for _, p := range properties {
		ipco := bytes.Index(file, []byte("ipco")) - 4
		insert(ipco+int(binary.BigEndian.Uint32(file[ipco:])), append(binary.BigEndian.AppendUint32(nil, uint32(len(p)+4)), p...), "meta", "iprp", "ipco")
		ipma := bytes.Index(file, []byte("ipma")) + 4
		if file[ipma] != 0 || file[ipma+3] != 0 {
			t.Fatal("the fixture has wide numbers")
		}
		count := ipma + 10
		for file[count-1] != primary {
			count += int(file[count]) + 3
		}
		file[count]++
		insert(count+int(file[count]), []byte{0x80 | byte(countProperties(file))}, "meta", "iprp", "ipma")
	}
	// The offsets in iloc point into mdat, which follows the meta box.
	old := binary.BigEndian.AppendUint32(nil, uint32(content))
	moved := bytes.Index(file, []byte("mdat")) + 4
	iloc := bytes.Index(file, []byte("iloc"))
	at := bytes.Index(file[iloc:], old)
	if at < 0 {
		t.Fatal("iloc does not have the offset of mdat")
	}
	binary.BigEndian.PutUint32(file[iloc+at:], uint32(moved))
	return file
}

// countProperties returns the number of boxes in ipco.
func countProperties(file []byte) (n int) {
	at := bytes.Index(file, []byte("ipco"))
	for b := file[at+4 : at-4+int(binary.BigEndian.Uint32(file[at-4:]))]; len(b) >= 8; n++ {
		b = b[binary.BigEndian.Uint32(b):]
	}
	return n
}

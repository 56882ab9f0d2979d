package page

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Picture is an image in the body of a page.
type Picture struct{ Address, Alt string }

// MinWidth and MinHeight are the minimum size in pixels of an image in the body that may represent
// the page. Smaller ones are icons, buttons and portraits of authors.
const (
	MinWidth  = 200
	MinHeight = 120
)

const (
	maxBodyImages = 100 // checked per page
	maxPictures   = 5
	maxBanner     = 4 // maximum aspect ratio; beyond it are advertisements and lines
)

// decoration matches the class or address of an image that is unrelated to the subject of a page.
var decoration = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:icons?|favicon|logos?|avatars?|gravatar|emojis?|smil(?:ey|ies)|sprites?|pixel|` +
	`spacer|blank|placeholder|transparent|tracking|tracker|beacon|badges?|buttons?|btn|share|banner|advert|ads?|captcha|loading|spinner|1x1)(?:[^a-z]|$)`)

// image is an <img> of the page as written.
type image struct {
	src, srcset, alt, class string
	width, height           int  // 0 if unknown
	main                    bool // inside <article> or <main>
}

// bodyPictures returns the images in the body that may represent the page, those of the article
// first.
func (s said) bodyPictures(base *url.URL) (found []Picture) {
	images := slices.Clone(s.pictures)
	slices.SortStableFunc(images, func(a, b image) int {
		switch {
		case a.main == b.main:
			return 0
		case a.main:
			return -1
		}
		return 1
	})
	for _, i := range images {
		if i.small() || decoration.MatchString(i.class) {
			continue
		}
		u, ok := absolute(base, cmp.Or(Largest(i.srcset), i.src))
		if !ok || strings.HasSuffix(strings.ToLower(u.Path), ".svg") || decoration.MatchString(u.Path) {
			continue
		}
		picture := Picture{u.String(), line(i.alt, maxDescription)}
		if !slices.ContainsFunc(found, func(p Picture) bool { return p.Address == picture.Address }) {
			found = append(found, picture)
		}
		if len(found) == maxPictures {
			break
		}
	}
	return found
}

// small reports whether an image is known to be too small, or too elongated, to represent a page.
func (i image) small() bool {
	w, h := i.width, i.height
	return w > 0 && w < MinWidth || h > 0 && h < MinHeight || w > 0 && h > 0 && max(w, h) > maxBanner*min(w, h)
}

// Largest returns the address of the widest candidate of a srcset that has at most 2,000 pixels, or
// else of the first one.
func Largest(srcset string) (address string) {
	const enough = 2_000
	const space = " \t\r\n\f"
	best := 0.0
	for srcset = strings.TrimLeft(srcset, ","+space); srcset != ""; srcset = strings.TrimLeft(srcset, ","+space) {
		candidate, descriptor := srcset, ""
		if end := strings.IndexAny(srcset, space); end >= 0 { // addresses may contain commas, but not end in one
			candidate, srcset = srcset[:end], srcset[end:]
			if !strings.HasSuffix(candidate, ",") {
				descriptor, srcset, _ = strings.Cut(srcset, ",")
			}
		} else {
			srcset = ""
		}
		candidate = strings.TrimRight(candidate, ",")
		if strings.HasPrefix(candidate, "data:") {
			continue
		}
		size := 1.0 // pixels of the image, or per pixel of the page
		if descriptor = strings.TrimSpace(descriptor); descriptor != "" {
			size, _ = strconv.ParseFloat(strings.TrimRight(strings.Fields(descriptor)[0], "wxh"), 64)
		}
		if address == "" || size > best && size <= enough {
			address, best = candidate, size
		}
	}
	return address
}

// picture is a candidate for the preview of a page.
type picture struct{ address, alt string }

// images returns the addresses of the images that represent the page, and the description of the
// first. It ignores icons, which represent the site.
func (s said) images(base *url.URL, ld linked) (addresses []string, alt string) {
	candidates := slices.Concat(s.openGraphImages(), s.twitterImages())
	for _, address := range slices.Concat(ld.images, s.hrefs("image_src", "")) {
		candidates = append(candidates, picture{address: address})
	}
	candidates = append(candidates, picture{address: s.first("image", "thumbnail")})
	for _, candidate := range candidates {
		u, ok := absolute(base, candidate.address)
		if !ok || slices.Contains(addresses, u.String()) {
			continue
		}
		if len(addresses) == 0 {
			alt = line(candidate.alt, maxDescription)
		}
		if addresses = append(addresses, u.String()); len(addresses) == maxImages {
			break
		}
	}
	return addresses, alt
}

// openGraphImages reads the structured properties of ogp.me: og:image begins an image, and the
// following og:image:… belong to it. Of its two addresses, the secure one comes first.
func (s said) openGraphImages() []picture {
	var all, open []picture // open contains the addresses of the current picture
	closeOne := func() {
		all = append(all, open...)
		open = nil
	}
	for _, m := range s.metas {
		switch m.name {
		case "og:image":
			closeOne()
			open = []picture{{address: m.content}}
		case "og:image:url":
			open = append(open, picture{address: m.content})
		case "og:image:secure_url":
			open = append([]picture{{address: m.content}}, open...)
		case "og:image:alt":
			for i := range open {
				open[i].alt = m.content
			}
		}
	}
	closeOne()
	return all
}

func (s said) twitterImages() []picture {
	alt := s.first("twitter:image:alt")
	return []picture{{s.first("twitter:image"), alt}, {s.first("twitter:image:src"), alt}}
}

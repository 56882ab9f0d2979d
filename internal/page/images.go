package page

import (
	"net/url"
	"slices"
)

// picture is a candidate for the preview of a page.
type picture struct{ address, alt string }

// images returns the addresses of the pictures that stand for the page, and the
// description of the first. Icons do not count: they stand for the site.
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

// openGraphImages reads the structured properties of ogp.me: og:image begins a
// picture, and og:image:… after it belongs to it. Of its two addresses the secure
// one comes first.
func (s said) openGraphImages() []picture {
	var all, open []picture // open holds the addresses of the present picture
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

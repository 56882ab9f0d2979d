package api_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/apptest"
)

// TestWhereFieldsAre: `can` and `collaborators` are only in full resources, `connection` only in contents. Elsewhere they
// are absent instead of null.
func TestWhereFieldsAre(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		hub, spoke := r.Channel("ada", "Hub", "closed"), r.Channel("ada", "Spoke", "public")
		r.Collaborate("ada", spoke, "ben")
		text := r.Block("ada", "Text", hub, spoke)
		link := r.Block("ada", "https://example.org", hub)
		r.Connect("ada", "Channel", spoke, hub)
		at := r.Connect("ada", "Channel", hub, spoke)
		full, listed, placed := []string{"can"}, []string{}, []string{"connection"}
		tests := []struct {
			path, at string
			has      []string // some of can, collaborators, connection
		}{
			{fmt.Sprint("/v3/channels/", hub), "", []string{"can", "collaborators"}},
			{fmt.Sprint("/v3/channels/", spoke), "", []string{"can", "collaborators"}},
			{fmt.Sprint("/v3/blocks/", text), "", full}, {fmt.Sprint("/v3/blocks/", link), "", full},
			{fmt.Sprint("/v3/connections/", at), "", full},
			{fmt.Sprintf("/v3/channels/%d/contents", hub), "data.0", placed}, // the channel
			{fmt.Sprintf("/v3/channels/%d/contents", hub), "data.1", placed}, // the link
			{fmt.Sprintf("/v3/channels/%d/contents", hub), "data.2", placed}, // the text
			{fmt.Sprintf("/v3/channels/%d/connections", hub), "data.0", listed},
			{fmt.Sprintf("/v3/blocks/%d/connections", text), "data.0", listed},
			{fmt.Sprintf("/v3/blocks/%d/connections", text), "data.1", listed},
			{"/v3/users/ada", "", listed}, {"/v3/me", "", listed},
		}
		for _, as := range []string{"", "ada", "ada/read", "zoe"} {
			for _, test := range tests {
				if as == "" && test.path == "/v3/me" {
					continue
				}
				object, _ := r.Get(as, "%s", test.path).Get(test.at).(map[string]any)
				for _, field := range []string{"can", "collaborators", "connection"} {
					value, there := object[field]
					if want := slices.Contains(test.has, field); there != want || there && value == nil {
						t.Errorf("%s %s as %q: %s is %v, there %t, want %t", test.path, test.at, as, field, value, there, want)
					}
				}
				if _, there := object["class"]; there {
					t.Errorf("%s %s has a class", test.path, test.at)
				}
			}
		}
	})
}

// TestLinks: every URL is absolute and leads to the right resource.
func TestLinks(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Channel", "closed")
		block := r.Block("ada", "Text", channel)
		connection := r.Connect("ada", "Block", block, channel)
		for _, path := range []string{fmt.Sprint("/v3/channels/", channel), fmt.Sprint("/v3/blocks/", block),
			fmt.Sprint("/v3/connections/", connection), "/v3/users/ada"} {
			links, _ := r.Get("", "%s", path).Get("_links").(map[string]any)
			for name, link := range links {
				href, _ := link.(map[string]any)["href"].(string)
				if len(href) < len(apptest.Base) || href[:len(apptest.Base)] != apptest.Base {
					t.Errorf("%s: %s is %q", path, name, href)
					continue
				}
				r.Get("", "%s", href[len(apptest.Base):])
			}
			if len(links) == 0 {
				t.Errorf("%s has no links", path)
			}
		}
	})
}

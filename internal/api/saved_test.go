package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// savedAs returns what listSaved shows: each block with its channels, which end in "-" if the viewer may remove the block.
func savedAs(r *apptest.Rig, as, page string) (all []string) {
	r.T.Helper()
	res := r.Get(as, "/ext/v1/me/saved?url=%s", url.QueryEscape(page))
	for i := range res.Len("data") {
		at := fmt.Sprintf("data.%d.", i)
		line := fmt.Sprintf("%d %t", res.Int(at+"id"), res.Bool(at+"own"))
		for j := range res.Len(at + "channels") {
			in := fmt.Sprintf("%schannels.%d.", at, j)
			if line += fmt.Sprintf(" %d", res.Int(in+"channel.id")); res.Bool(in + "removable") {
				line += "-"
			}
		}
		all = append(all, line)
	}
	return all
}

// TestSaved lists the blocks of a page that the viewer may see, their own first, with the channels that they may see.
func TestSaved(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ben")
		if _, err := r.S.App.Accounts.SetTier(t.Context(), domain.Ref{Slug: "ben"}, domain.TierFree); err != nil {
			t.Fatal(err)
		}
		const page = "https://example.org/kelp"
		open, secret, bens := r.Channel("ada", "Open", "public"), r.Channel("ada", "Secret", "private"), r.Channel("ben", "Ben's", "closed")
		save := func(as, value, source string, channels ...int64) int64 {
			body := map[string]any{"value": value, "channel_ids": channels}
			if source != "" {
				body["original_source_url"] = source
			}
			return r.Do(as, "POST", "/v3/blocks", body).Want(http.StatusCreated).Int("id")
		}
		quote := save("ada", "A quote", page, open, secret)
		link := save("ada", page+"?utm_source=x#part", "", secret)
		other := save("ben", "Another quote", "http://www.example.org/kelp/", open)
		save("ada", "Elsewhere", page+"/other", open)
		r.Connect("ben", "Block", quote, bens)
		for as, want := range map[string][]string{
			"ada":      {fmt.Sprintf("%d true %d-", link, secret), fmt.Sprintf("%d true %d- %d- %d", quote, secret, open, bens), fmt.Sprintf("%d false %d-", other, open)},
			"ada/read": {fmt.Sprintf("%d true %d", link, secret), fmt.Sprintf("%d true %d %d %d", quote, secret, open, bens), fmt.Sprintf("%d false %d", other, open)},
			"ben":      {fmt.Sprintf("%d true %d-", other, open), fmt.Sprintf("%d false %d- %d", quote, bens, open)},
			"cleo":     {fmt.Sprintf("%d false %d", other, open), fmt.Sprintf("%d false %d %d", quote, bens, open)},
		} {
			if got := savedAs(r, as, page); !slices.Equal(got, want) {
				t.Errorf("%s sees %q, want %q", as, got, want)
			}
		}
		if got := savedAs(r, "ada", "https://example.org/"); len(got) != 0 {
			t.Errorf("another page has %q", got)
		}
		for range 12 {
			save("ada", "More", page, open)
		}
		if got := savedAs(r, "ben", page); len(got) != 10 || got[0] != fmt.Sprintf("%d true %d-", other, open) {
			t.Errorf("of many: %q", got)
		}
		r.Do("", "GET", "/ext/v1/me/saved?url="+url.QueryEscape(page), nil).Want(http.StatusUnauthorized)
		for _, bad := range []string{"", "?url=", "?url=kelp", "?url=ftp%3A%2F%2Fexample.org", "?url=%00", "?url=https%3A%2F%2Fa.test+https%3A%2F%2Fb.test"} {
			r.Do("ada", "GET", "/ext/v1/me/saved"+bad, nil).Want(http.StatusBadRequest)
		}
	})
}

// TestChannelChoices lists channels that the viewer may add to: recent ones first, and public ones of others for a query.
func TestChannelChoices(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ben")
		if _, err := r.S.App.Accounts.SetTier(t.Context(), domain.Ref{Slug: "ben"}, domain.TierFree); err != nil {
			t.Fatal(err)
		}
		kelp, secret := r.Channel("ada", "Kelp forest", "closed"), r.Channel("ada", "Kelp secrets", "private")
		open, bens := r.Channel("ada", "Open kelp", "public"), r.Channel("ben", "Ben's kelp", "private")
		for _, row := range []struct {
			as, query string
			want      []int64
		}{
			{"ada", "", []int64{open, secret, kelp}},
			{"ada", "?query=kelp+s", []int64{secret}},
			{"ada", "?per=1", []int64{open}},
			{"ben", "", []int64{bens}},
			{"ben", "?query=kelp", []int64{bens, open}},
			{"ben", "?query=nothing", nil},
		} {
			res := r.Get(row.as, "/ext/v1/me/channels%s", row.query)
			var got []int64
			for i := range res.Len("data") {
				got = append(got, res.Int(fmt.Sprintf("data.%d.id", i)))
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%s %s: %v, want %v", row.as, row.query, got, row.want)
			}
		}
		r.Do("", "GET", "/ext/v1/me/channels", nil).Want(http.StatusUnauthorized)
		if n := r.Get("ada/read", "/ext/v1/me/channels").Len("data"); n != 0 {
			t.Errorf("%d channels for a token that may only read", n)
		}
		for _, bad := range []string{"?per=0", "?per=101", "?query=%00"} {
			r.Do("ada", "GET", "/ext/v1/me/channels"+bad, nil).Want(http.StatusBadRequest)
		}
	})
}

package v2

import (
	"net/http/httptest"
	"testing"
)

func TestAuthorize(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address            string
		header, auth, want string
	}{
		"the header":                      {"/v2/me", "Bearer a", "", "Bearer a"},
		"the header before all others":    {"/v2/me?access_token=c&auth_token=d", "Bearer a", "b", "Bearer a"},
		"another header":                  {"/v2/me?access_token=c", "", "b", "Bearer b"},
		"the address":                     {"/v2/me?access_token=c%2B&auth_token=d", "", "", "Bearer c+"},
		"the address, otherwise":          {"/v2/me?auth_token=d", "", "", "Bearer d"},
		"nothing":                         {"/v2/me", "", "", ""},
		"nothing but the scheme":          {"/v2/me", "Bearer ", "", ""},
		"what JavaScript makes of none":   {"/v2/me", "Bearer undefined", "", ""},
		"another word for none":           {"/v2/me?access_token=undefined&auth_token=null", "Bearer null", "null", ""},
		"none in the header, one besides": {"/v2/me?access_token=undefined&auth_token=d", "Bearer undefined", "undefined", "Bearer d"},
		"what only begins so":             {"/v2/me", "Bearer undefined1", "", "Bearer undefined1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", c.address, nil)
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
			if c.auth != "" {
				r.Header.Set("X-AUTH-TOKEN", c.auth)
			}
			authorize(w.Header(), r)
			if got := r.Header.Get("Authorization"); got != c.want {
				t.Errorf("Authorization is %q, not %q", got, c.want)
			}
			if r.URL.RawQuery != "" || r.Header.Get("X-AUTH-TOKEN") != "" {
				t.Errorf("left: %q, %q", r.URL.RawQuery, r.Header.Get("X-AUTH-TOKEN"))
			}
		})
	}
}

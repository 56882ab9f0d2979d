package auth

import "testing"

func TestBearerToken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		header, token string
		present, ok   bool
	}{
		{"", "", false, false},
		{"Bearer abc", "abc", true, true},
		{"bearer abc", "abc", true, true},
		{"BEARER   abc", "abc", true, true},
		{"Bearer aZ09-._~+/==", "aZ09-._~+/==", true, true},
		{"Bearer", "", true, false},
		{"Bearer ", "", true, false},
		{"Bearer =", "", true, false},
		{"Bearer a=b", "", true, false},
		{"Bearer abc def", "", true, false},
		{"Bearer abc ", "", true, false},
		{"Bearer abc,Bearer def", "", true, false},
		{"Bearer \tabc", "", true, false},
		{"Bearer\tabc", "", true, false},
		{" Bearer abc", "", true, false},
		{"Bearerabc", "", true, false},
		{"Bearer: abc", "", true, false},
		{`Bearer token="abc"`, "", true, false},
		{"Bearer äbc", "", true, false},
		{"Bearer abc\x00", "", true, false},
		{"Basic YTpi", "", true, false},
		{"Token abc", "", true, false},
		{"abc", "", true, false},
		{" ", "", true, false},
	}
	for _, test := range tests {
		token, present, ok := BearerToken(test.header)
		if token != test.token || present != test.present || ok != test.ok {
			t.Errorf("%q gives %q, %v, %v", test.header, token, present, ok)
		}
	}
}

package middleware

import "testing"

func TestSecureHeaders(t *testing.T) {
	t.Parallel()
	h := serve(SecureHeaders(text("{}")), get()).Header()
	wantHeader(t, h, "X-Content-Type-Options", "nosniff")
	wantHeader(t, h, "Referrer-Policy", "no-referrer")
	wantHeader(t, h, "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

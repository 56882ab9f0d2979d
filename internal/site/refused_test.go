package site_test

import (
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// Forms of accounts show what is wrong at the field, in the visitor's language, and change nothing.
func TestFormsOfAccountsAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, apptest.New(t, people, openSignUp))
	const nothing = "web.error.nothing"
	d.refuse([]refusal{
		{"", "/sign-in", 422, "", "The address or the password is not right", form("email", "nobody@example.org", "password", "x")},
		{"", "/sign-in", 422, "", "The address or the password is not right", form("email", "mia@example.org", "password", password+" ")},
		{"", "/sign-in", 422, "", "The address or the password is not right", form()},
		{"", "/sign-up", 422, "name", "must be 1 to 255 characters long", form("name", " ", "email", "new@example.org", "password", password)},
		{"", "/sign-up", 422, "name", "must be 1 to 255 characters long", form("name", long(256), "email", "new@example.org", "password", password)},
		{"", "/sign-up", 422, "slug", "must be lower-case letters, digits and single dashes, and not all digits", form("name", "New", "slug", "Not ok", "email", "new@example.org", "password", password)},
		{"", "/sign-up", 422, "slug", "is reserved", form("name", "New", "slug", "settings", "email", "new@example.org", "password", password)},
		{"", "/sign-up", 422, "slug", "is already taken", form("name", "New", "slug", "ada", "email", "new@example.org", "password", password)},
		{"", "/sign-up", 422, "email", "must be an address such as ada@example.org", form("name", "New", "slug", "newbie", "email", "nowhere", "password", password)},
		{"", "/sign-up", 422, "password", "must be 8 to 200 bytes long", form("name", "New", "slug", "newbie", "email", "new@example.org", "password", "short")},
		{"", "/sign-up", 422, "password", "is one of the commonest and would be guessed", form("name", "New", "slug", "newbie", "email", "new@example.org", "password", "iloveyou")},
		{"", "/sign-up", 422, "password", "must be 8 to 200 bytes long", form("name", "New", "slug", "newbie", "email", "new@example.org", "password", strings.Repeat("x", 201))},
		{"", "/forgot-password", 422, "email", "must be an address such as ada@example.org", form("email", "")},
		{"", "/forgot-password", 422, "email", "must be an address such as ada@example.org", form("email", "Mia <mia@example.org>")},
		{"ada", "/settings/profile", 422, "name", "must not be blank", form("name", "\t", "bio", "kept")},
		{"ada", "/settings/profile", 422, "bio", "must have at most 20000 characters", form("name", "Ada", "bio", long(domain.MaxDescription+1))},
		{"ada", "/settings/profile", 422, "avatar_url", "must be an absolute http or https URL", form("name", "Ada", "avatar_url", "ftp://example.org/a.png")},
		{"ada", "/settings/profile", 422, "picture", "must be the address of an upload of yours", form("name", "Ada", "kept", "https://elsewhere.example/uploads/x")},
		{"mia", "/settings/email", 422, "email", "must be an address such as ada@example.org", form("email", "")},
		{"mia", "/settings/email", 422, "email", "must be an address such as ada@example.org", form("email", "mia")},
		{"mia", "/settings/email", 422, "email", "is already your address", form("email", "mia@example.org")},
		{"mia", "/settings/password", 422, "password", "must be 8 to 200 bytes long", form("password", "")},
		{"mia", "/settings/password", 422, "password", "must be 8 to 200 bytes long", form("password", strings.Repeat("x", 201), "others", "end")},
		{"mia", "/settings/password", 422, "password", "is one of the commonest and would be guessed", form("password", "iloveyou")},
		{"mia", "/settings/passkeys", 422, "name", "must not be blank", form("name", " ")},
		{"mia", "/settings/passkeys", 422, "name", "must be at most 100 characters long", form("name", long(256))},
		{"mia", "/settings/passkeys/add", 422, "", "The passkey was not accepted", form("name", "Key", "passkey", "{}")},
		{"mia", "/settings/passkeys/1", 404, "", nothing, form()},
		{"mia", "/settings/recovery-codes", 422, "", "Add a passkey first", form()},
		{"mia", "/settings/delete", 422, "slug", "is not your short name", form("slug", "")},
		{"mia", "/settings/delete", 422, "slug", "is not your short name", form("slug", "ada")},
		{"mia", "/settings/confirm", 422, "password", "is not your password", form("by", "password", "password", "wrong")},
		{"mia", "/settings/confirm", 400, "", "The form does not say what to do", form("by", "guess")},
		{"mia", "/settings/confirm/x", 404, "", "account.title.dead-link", form()},
		{"ada", "/settings/personal-access-tokens", 422, "name", "must be 1 to 255 characters long", form("name", " ", "scope", "write")},
		{"ada", "/settings/personal-access-tokens", 422, "name", "must be 1 to 255 characters long", form("name", long(256), "scope", "read")},
		{"ada", "/settings/personal-access-tokens", 422, "scope", "must be read or write", form("name", "Script", "scope", "admin")},
		{"ada", "/settings/personal-access-tokens", 422, "scope", "must be read or write", form("name", "Script")},
		{"ada", "/settings/personal-access-tokens", 404, "", nothing, form("revoke", "x")},
		{"ada", "/settings/personal-access-tokens", 404, "", nothing, form("revoke", "1")},
		{"ada", "/settings/sessions", 404, "", nothing, form("end", "all")},
		{"ada", "/settings/sessions", 404, "", nothing, form("end", "1")},
		{"ada", "/settings/applications", 404, "", nothing, form("revoke", "1")},
		{"ada", "/settings/feeds", 400, "", "The form does not say what to do", form("do", "burn")},
		{"ada", "/oauth/applications", 422, "name", "must be 1 to 255 characters long", form("name", "", "kind", "public", "redirect_uris", "https://a.example/back")},
		{"ada", "/oauth/applications", 422, "name", "must be 1 to 255 characters long", form("name", long(256), "kind", "confidential")},
		{"ada", "/oauth/applications", 422, "redirect_uris", "line 1|must be https, http at a loopback address, or a scheme of your own", form("name", "Mine", "kind", "public", "for_v2", "yes", "redirect_uris", "javascript:alert(1)")},
		{"ada", "/oauth/applications/{app}", 422, "name", "must be 1 to 255 characters long", form("do", "save", "name", " ", "redirect_uris", "https://a.example/")},
		{"ada", "/oauth/applications/{app}", 422, "redirect_uris", "must have at most 10 addresses", form("do", "save", "name", "App", "redirect_uris", strings.Repeat("https://a.example/\n", domain.MaxRedirectURIs+1))},
		{"ada", "/oauth/applications/{app}", 400, "", "The form does not say what to do", form("do", "publish")},
		{"eve", "/oauth/applications/{app}", 404, "", nothing, form("do", "delete")},
		{"eve", "/oauth/applications/{app}", 404, "", nothing, form("do", "rotate")},
		{"ada", "/settings/import", 400, "", "The form does not say what to do", form("do", "everything")},
		{"ada", "/settings/import", 422, "address", "must be the address of a server, such as https://api.are.na", form("do", "server", "address", "nowhere", "what", "@ada")},
		{"ada", "/settings/import", 422, "what", "is required without a token", form("do", "server", "what", "", "token", "")},
		{"ada", "/settings/import", 422, "upload_key", "transfer.file.none", form("do", "file", "encoding", "utf-8", "visibility", "closed")},
		{"ada", "/settings/import", 422, "", "visibility: must be one of public, closed, private", form("do", "server", "what", "@ada", "visibility", "secret")},
		{"ada", "/settings/import/1", 404, "", nothing, form("do", "stop")},
		{"ada", "/settings/export", 400, "", "The form does not say what to do", form("do", "burn")},
		{"ada", "/settings/export", 404, "", nothing, form("do", "delete", "id", "x")},
		{"ada", "/settings/export", 404, "", nothing, form("do", "delete", "id", "1")},
	})
}

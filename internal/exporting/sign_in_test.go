package exporting_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// An export lists its owner's sign-in methods without any secrets.
func TestExportNamesWaysIn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, bob := r.Person("ada").ID, r.Person("bob").ID
		r.Exec(fmt.Sprintf(`INSERT INTO identities (user_id, issuer, subject, email, created_at, used_at)
			VALUES (%d, 'https://id.example', '7', 'ada@id.example', 1000000, 2000000), (%d, 'https://id.example', '8', 'bob@id.example', 1, 2)`, ada, bob))
		r.Exec(fmt.Sprintf(`INSERT INTO passkeys (user_id, credential_id, public_key, name, transports, sign_count, backup_eligible, backed_up, created_at)
			VALUES (%d, $1, $2, 'Phone', '', 0, FALSE, FALSE, 3000000)`, ada), []byte("SECRET-ID"), []byte("SECRET-KEY"))
		r.Exec(fmt.Sprintf("INSERT INTO recovery_codes (user_id, hash, created_at) VALUES (%d, $1, 3000000)", ada), []byte("SECRET-HASH"))
		all, _ := exported(r, ada)
		valid(t, all)
		var profile struct {
			SignIn json.RawMessage `json:"sign_in"`
		}
		if err := json.Unmarshal([]byte(all["json/profile.json"]), &profile); err != nil {
			t.Fatal(err)
		}
		const want = `{"passkeys":[{"name":"Phone","created_at":"1970-01-01T00:00:03Z"}],"recovery_codes":1,"identities":[{"issuer":"https://id.example","subject":"7","email":"ada@id.example","created_at":"1970-01-01T00:00:01Z","last_used_at":"1970-01-01T00:00:02Z"}]}`
		if got := string(profile.SignIn); got != want {
			t.Errorf("sign_in is %s", got)
		}
		for name, text := range all {
			if strings.Contains(text, "SECRET") || strings.Contains(text, "U0VDUkVU") || strings.Contains(text, "bob@id.example") {
				t.Errorf("%s has what it should not", name)
			}
		}
		if other, _ := exported(r, r.Person("eve").ID); strings.Contains(other["json/profile.json"], "sign_in") {
			t.Error("who signs in by a password alone has a list")
		}
	})
}

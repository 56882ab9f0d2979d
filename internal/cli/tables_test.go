package cli_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// changing matches the parts of outputs that differ between runs: times, hints of tokens, IDs of
// clients, codes of receipts, and the spaces that align columns with them.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|vitrine_(?:pat|sup|sec)_\w+…?|\b[0-9a-f]{32}\b|\b[A-Za-z0-9_-]{43}\b|\b[A-Z2-7]{26}\b`)

// shown returns an output without what differs between runs.
func shown(out string) string {
	var b strings.Builder
	for line := range strings.Lines(changing.ReplaceAllString(out, "…")) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		b.WriteString(strings.TrimRight(indent+strings.Join(strings.FieldsFunc(strings.TrimSpace(line), func(r rune) bool { return r == ' ' }), " "), " ") + "\n")
	}
	return strings.TrimSpace(b.String())
}

// Commands print the same on both databases, as a table and as JSON, and say what they did.
func TestOutputs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		r := apptest.Boot(t, p.database())
		for _, name := range []string{"olga", "ada", "eve"} {
			r.Person(name)
		}
		r.Group("Guild", "ada", "eve")
		moss := r.Channel("ada", "Moss & <ferns>", "public")
		block := r.Block("ada", "Line one\nline two \"quoted\"", moss)
		r.Channel("eve", "Rust", "private")
		r.Do("eve", "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": "A word\tand another"}).Want(201)
		for i, about := range []string{fmt.Sprintf(`"type":"Block","id":%d`, block), fmt.Sprintf(`"type":"Channel","id":%d`, moss)} {
			r.Do([]string{"eve", "olga"}[i], "POST", "/ext/v1/reports", `{`+about+`,"reason":"spam","text":"Look \"here\"\nplease"}`)
		}
		r.WorkJobs()
		block1 := fmt.Sprint(block)
		for _, c := range []struct {
			args string // separated by spaces; ~ is a space within an argument
			want string
		}{
			{"user list", `
ID SLUG NAME EMAIL TIER OFFICE SUSPENDED STORED
1 olga Olga olga@example.org supporter operator false 0 bytes
2 ada Ada ada@example.org supporter member false 232 bytes
3 eve Eve eve@example.org supporter member false 130 bytes`},
			{"user list --json", `
[
  {
    "id": 1,
    "slug": "olga",
    "name": "Olga",
    "email": "olga@example.org",
    "tier": "supporter",
    "office": "operator",
    "suspended": false,
    "created_at": "…",
    "bytes": 0
  },
  {
    "id": 2,
    "slug": "ada",
    "name": "Ada",
    "email": "ada@example.org",
    "tier": "supporter",
    "office": "member",
    "suspended": false,
    "created_at": "…",
    "bytes": 232
  },
  {
    "id": 3,
    "slug": "eve",
    "name": "Eve",
    "email": "eve@example.org",
    "tier": "supporter",
    "office": "member",
    "suspended": false,
    "created_at": "…",
    "bytes": 130
  }
]`},
			{"user show ada", `
id 2
slug ada
name Ada
email ada@example.org
tier supporter
office member
created …
suspended no
last seen no current session or token was used
password none
passkeys 0, with 0 unused recovery codes
sessions 0
tokens 2, and 0 applications
channels 1
blocks 1
stored 232 bytes (files 0 bytes, texts 232 bytes, unused uploads 0 bytes)`},
			{"user show ada --json", `
{
  "id": 2,
  "slug": "ada",
  "name": "Ada",
  "email": "ada@example.org",
  "tier": "supporter",
  "office": "member",
  "suspended": false,
  "created_at": "…",
  "bytes": 232,
  "suspended_at": null,
  "last_seen_at": null,
  "password": false,
  "passkeys": 0,
  "recovery_codes": 0,
  "identities": [],
  "sessions": 0,
  "tokens": 2,
  "applications": 0,
  "quota": 0,
  "files_bytes": 0,
  "texts_bytes": 232,
  "blocks": 1,
  "channels": 1
}`},
			{"user usage", `
ID SLUG EMAIL BLOCKS CHANNELS STORED FILES TEXTS
2 ada ada@example.org 1 1 232 bytes 0 bytes 232 bytes
3 eve eve@example.org 0 1 130 bytes 0 bytes 130 bytes
1 olga olga@example.org 0 0 0 bytes 0 bytes 0 bytes`},
			{"user usage --json", `
[
  {
    "id": 2,
    "slug": "ada",
    "name": "Ada",
    "email": "ada@example.org",
    "blocks": 1,
    "channels": 1,
    "bytes": 232,
    "files_bytes": 0,
    "texts_bytes": 232
  },
  {
    "id": 3,
    "slug": "eve",
    "name": "Eve",
    "email": "eve@example.org",
    "blocks": 0,
    "channels": 1,
    "bytes": 130,
    "files_bytes": 0,
    "texts_bytes": 130
  },
  {
    "id": 1,
    "slug": "olga",
    "name": "Olga",
    "email": "olga@example.org",
    "blocks": 0,
    "channels": 0,
    "bytes": 0,
    "files_bytes": 0,
    "texts_bytes": 0
  }
]`},
			{"user set-tier eve premium", `
Account eve (ID 3) now has the tier premium.`},
			{"user set-office eve operator", `
The account eve (id 3, tier premium) is an operator's.`},
			{"user set-office eve member --json", `
{
  "id": 3,
  "slug": "eve",
  "name": "Eve",
  "email": "eve@example.org",
  "tier": "premium",
  "office": "member",
  "suspended": false,
  "created_at": "…"
}`},
			{"user set-email eve eve@example.net", `
Account eve (ID 3, tier premium) now has the address eve@example.net.`},
			{"user sign-out eve", `
Signed account eve out everywhere.`},
			{"user suspend eve --hide", `
Suspended account eve (ID 3, tier premium).`},
			{"user suspend eve --undo --json", `
{
  "id": 3,
  "slug": "eve",
  "name": "Eve",
  "email": "eve@example.net",
  "tier": "premium",
  "office": "member",
  "suspended": false,
  "created_at": "…"
}`},
			{"user link create --note Class~of~26 --places 3 --group guild --vouched --json", `
{
  "id": 1,
  "link": "http://127.0.0.1:8080/sign-up?invite=…",
  "note": "Class of 26",
  "group": "guild",
  "places": 3,
  "left": 3,
  "vouched": true,
  "live": true,
  "created_at": "…",
  "expires_at": "…",
  "came": []
}`},
			{"user link create", `
http://127.0.0.1:8080/sign-up?invite=…`},
			{"user link list", `
ID NOTE GROUP LEFT PLACES WORKS UNTIL CAME
2 1 1 true …
1 Class of 26 guild 3 3 true …`},
			{"user link list --json", `
[
  {
    "id": 2,
    "note": "",
    "places": 1,
    "left": 1,
    "vouched": false,
    "live": true,
    "created_at": "…",
    "expires_at": "…",
    "came": []
  },
  {
    "id": 1,
    "note": "Class of 26",
    "group": "guild",
    "places": 3,
    "left": 3,
    "vouched": true,
    "live": true,
    "created_at": "…",
    "expires_at": "…",
    "came": []
  }
]`},
			{"user link end 2", `
Ended link 2.`},
			{"token create --user ada --name Laptop~| --scope write --json", `
{
  "id": 7,
  "token": "…",
  "name": "Laptop |",
  "hint": "…",
  "scope": "write",
  "created_at": "…",
  "expires_at": null,
  "last_used_at": null,
  "revoked_at": null
}`},
			{"token list --user ada", `
ID NAME BEGINS WITH SCOPE CREATED EXPIRES LAST USED REVOKED
7 Laptop | … write … never never never
4 test … read … never never never
3 test … write … never never never`},
			{"token revoke 3", `
Revoked token 3.`},
			{"token list --user ada --json", `
[
  {
    "id": 7,
    "name": "Laptop |",
    "hint": "…",
    "scope": "write",
    "created_at": "…",
    "expires_at": null,
    "last_used_at": null,
    "revoked_at": null
  },
  {
    "id": 4,
    "name": "test",
    "hint": "…",
    "scope": "read",
    "created_at": "…",
    "expires_at": null,
    "last_used_at": null,
    "revoked_at": null
  },
  {
    "id": 3,
    "name": "test",
    "hint": "…",
    "scope": "write",
    "created_at": "…",
    "expires_at": null,
    "last_used_at": null,
    "revoked_at": "…"
  }
]`},
			{"app create --user ada --name Reader~" + "✓ --redirect-uri https://x.example/a?b=1&c=2 --redirect-uri http://127.0.0.1/cb --public --json", `
{
  "id": 2,
  "client_id": "…",
  "name": "Reader ✓",
  "user": "ada",
  "public": true,
  "for_v2": false,
  "expiring": false,
  "redirect_uris": [
    "https://x.example/a?b=1&c=2",
    "http://127.0.0.1/cb"
  ],
  "created_at": "…"
}`},
			{"app create --user eve --name Second --redirect-uri https://y.example/ --for-v2", `
client_id: …
client_secret: …`},
			{"app list", `
CLIENT ID NAME USER PUBLIC FOR V2 REDIRECTS TO
… Are.na command line nobody true false http://127.0.0.1/callback http://localhost/callback http://[::1]/callback
… Reader ✓ ada true false https://x.example/a?b=1&c=2 http://127.0.0.1/cb
… Second eve false true https://y.example/`},
			{"app list --json", `
[
  {
    "id": 1,
    "client_id": "…",
    "name": "Are.na command line",
    "user": null,
    "public": true,
    "for_v2": false,
    "expiring": false,
    "redirect_uris": [
      "http://127.0.0.1/callback",
      "http://localhost/callback",
      "http://[::1]/callback"
    ],
    "created_at": "…"
  },
  {
    "id": 2,
    "client_id": "…",
    "name": "Reader ✓",
    "user": "ada",
    "public": true,
    "for_v2": false,
    "expiring": false,
    "redirect_uris": [
      "https://x.example/a?b=1&c=2",
      "http://127.0.0.1/cb"
    ],
    "created_at": "…"
  },
  {
    "id": 3,
    "client_id": "…",
    "name": "Second",
    "user": "eve",
    "public": false,
    "for_v2": true,
    "expiring": false,
    "redirect_uris": [
      "https://y.example/"
    ],
    "created_at": "…"
  }
]`},
			{"reports list", `
ID REPORTS LATEST WHAT OF CALLED OUTCOME
2 1 … Channel 1 ada "Moss & <ferns>"
1 1 … Block 1 ada "Line one line two \"quoted\""`},
			{"reports list --json --limit 1", `
[
  {
    "id": 2,
    "type": "Channel",
    "thing_id": 1,
    "label": "Moss & <ferns>",
    "owner": "ada",
    "reports": 1,
    "opened_at": "…",
    "last_at": "…",
    "closed_at": null
  }
]`},
			{"reports show 1", `
id 1
about Block 1, "Line one line two \"quoted\""
of ada
since …
state open
says "Line one\nline two \"quoted\""
reports 1
         … eve (1 report so far, 0 dismissed): spam: "Look \"here\"\nplease"`},
			{"reports show 2 --json", `
{
  "id": 2,
  "type": "Channel",
  "thing_id": 1,
  "label": "Moss & <ferns>",
  "owner": "ada",
  "reports": 1,
  "opened_at": "…",
  "last_at": "…",
  "closed_at": null,
  "says": "Moss & <ferns>",
  "hidden_at": null,
  "said": [
    {
      "reporter": "olga",
      "reports": 1,
      "dismissed": 0,
      "reason": "spam",
      "text": "Look \"here\"\nplease",
      "created_at": "…"
    }
  ]
}`},
			{"reports close 1 dismissed", `
Closed report 1 about Block 1: dismissed.`},
			{"reports close 2 hidden", `
Closed report 2 about Channel 1: hidden.`},
			{"reports list", `
ID REPORTS LATEST WHAT OF CALLED OUTCOME`},
			{"reports list --closed", `
ID REPORTS LATEST WHAT OF CALLED OUTCOME
2 1 … Channel 1 ada "Moss & <ferns>" hidden
1 1 … Block 1 ada "Line one line two \"quoted\"" dismissed`},
			{"hidden add block " + block1 + " --text Rule~1", `
Hid the block 1 (entry 3).`},
			{"hidden add comment 1", `
Hid the comment 1 (entry 4).`},
			{"hidden list", `
ID WHAT OF CALLED STATE SINCE
4 Comment 1 eve "A word and another" hidden …
3 Block 1 ada "Line one line two \"quoted\"" hidden …
2 Channel 1 ada "Moss & <ferns>" hidden …`},
			{"hidden list --json", `
[
  {
    "id": 4,
    "type": "Comment",
    "thing_id": 1,
    "label": "A word and another",
    "owner": "eve",
    "state": "hidden",
    "created_at": "…"
  },
  {
    "id": 3,
    "type": "Block",
    "thing_id": 1,
    "label": "Line one line two \"quoted\"",
    "owner": "ada",
    "state": "hidden",
    "created_at": "…"
  },
  {
    "id": 2,
    "type": "Channel",
    "thing_id": 1,
    "label": "Moss & <ferns>",
    "owner": "ada",
    "state": "hidden",
    "created_at": "…"
  }
]`},
			{"hidden remove 2", `
The channel 1 is no longer hidden.`},
			{"blocklist add mail trash.example --note One|two", `
Blocked the mail trash.example (id 1).`},
			{"blocklist add network 198.51.100.7", `
Blocked the network 198.51.100.7/32 (id 2).`},
			{"blocklist add file " + strings.Repeat("AB", 32), `
Blocked the file abababababababababababababababababababababababababababababababab (id 3).`},
			{"blocklist list", `
ID KIND VALUE SINCE NOTE
3 file abababababababababababababababababababababababababababababababab …
2 network 198.51.100.7/32 …
1 mail trash.example … One|two`},
			{"blocklist list --json", `
[
  {
    "id": 3,
    "kind": "file",
    "value": "abababababababababababababababababababababababababababababababab",
    "created_at": "…"
  },
  {
    "id": 2,
    "kind": "network",
    "value": "198.51.100.7/32",
    "created_at": "…"
  },
  {
    "id": 1,
    "kind": "mail",
    "value": "trash.example",
    "note": "One|two",
    "created_at": "…"
  }
]`},
			{"blocklist remove 1", `
The mail trash.example is no longer blocked.`},
			{"jobs", `
ID KIND ATTEMPTS AT ERROR`},
			{"jobs --json", `
[]`},
			{"jobs backfills", `
KIND ROWS LEFT
index_words 0
examine_files 0
refresh_documents 0
find_animations 0
find_looks 0
count_texts 0`},
			{"jobs retry --all", `
Retrying 0 of 0 jobs.`},
			{"audit --act token.revoked", `
{"id":25,"at":"…","actor":{"name":"command line"},"act":"token.revoked","about":{"type":"Token","id":3}}`},
			{"audit --act blocklist.added --actor nobody", ``},
			{"user delete eve --yes", `
This deletes account eve (Eve, eve@example.net) with its profile, sessions and tokens, and
  1 channel
  0 blocks that are not in other people's channels
  0 comments
This stays:
  0 blocks in other people's channels, without an owner
Deleted account eve, receipt ….`},
			{"user list", `
ID SLUG NAME EMAIL TIER OFFICE SUSPENDED STORED
1 olga Olga olga@example.org supporter operator false 0 bytes
2 ada Ada ada@example.org supporter member false 232 bytes`},
			{"check", `
All derived values are correct.`},
		} {
			args := strings.Fields(c.args)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "~", " ")
			}
			got := p.run(args...)
			text := shown(got.out)
			if got.code != 0 || got.err != "" {
				text = fmt.Sprintf("exit code %d\n%s%s", got.code, got.out, got.err)
			}
			if want := strings.TrimSpace(c.want); text != want {
				t.Errorf("%s: got\n%s\n\nwant\n%s", c.args, text, want)
			}
			if strings.HasSuffix(c.args, "--hide") || strings.Contains(c.args, "--undo") {
				r.WorkJobs()
			}
		}

	})
}

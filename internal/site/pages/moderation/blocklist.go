package moderation

import (
	"fmt"

	"vitrine/internal/app/moderation"
	"vitrine/internal/site/web"
)

// blockedPer is the number of blocklist entries per page.
const blockedPer = 100

// blocklistView is a page of the blocklist.
type blocklistView struct {
	Entries []moderation.Blocked
	Kinds   []moderation.BlockKind
	Older   string // address of the next page, "" for none
}

// blocklistPage shows the blocklist.
func blocklistPage(v *web.Visit) error { return showBlocklist(v, nil) }

func showBlocklist(v *web.Visit, f *web.Form) error {
	below, err := numberFrom(v, "below")
	if err != nil {
		return err
	}
	shown := blocklistView{Kinds: moderation.BlockKinds}
	if shown.Entries, err = v.App().Moderation.Blocklist(v.R.Context(), operatorOf(v), below, blockedPer+1); err != nil {
		return err
	}
	if len(shown.Entries) > blockedPer {
		shown.Entries = shown.Entries[:blockedPer]
		shown.Older = fmt.Sprintf("/operator/blocklist?below=%d", shown.Entries[blockedPer-1].ID)
	}
	return v.Page("blocklist", v.T("moderation.blocklist"), f, shown)
}

// changeBlocklist adds or removes an entry.
func changeBlocklist(v *web.Visit) error {
	f, ctx := v.Form(), v.R.Context()
	if remove := f.Get("remove"); remove != "" {
		id, err := web.ID(remove)
		if err != nil {
			return err
		}
		if _, err := v.App().Moderation.RemoveFromBlocklist(ctx, operatorOf(v), id); err != nil {
			return err
		}
		return v.Done("/operator/blocklist", "unblocked")
	}
	_, _, err := v.App().Moderation.AddToBlocklist(ctx, operatorOf(v), moderation.BlockInput{Kind: moderation.BlockKind(f.Get("kind")),
		Value: f.Trimmed("value"), Note: f.Trimmed("note")})
	if err != nil {
		if f.Refused(err, "kind", "value", "note") {
			return showBlocklist(v, f)
		}
		return err
	}
	return v.Done("/operator/blocklist", "blocked")
}

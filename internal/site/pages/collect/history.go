package collect

import (
	"slices"

	"vitrine/internal/app/collections"
	"vitrine/internal/difference"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// historyView is the page of the versions of a block or channel.
type historyView struct {
	Path     string // of the block or channel
	Heading  string
	Versions []versionView
	Shown    domain.TextVersion
	Current  bool // the shown version is the current one
	Changes  []change
	Digest   string // of the current texts
}

// versionView is a version in the list.
type versionView struct {
	domain.TextVersion
	By present.Principal
}

// change is how a version changed a text.
type change struct {
	Name  string
	Parts []difference.Part
}

// blockHistoryPage shows the versions of a block.
func blockHistoryPage(v *web.Visit) error {
	b, err := blockByID(v)
	if err != nil {
		return err
	}
	return showBlockHistory(v, b, nil)
}

func showBlockHistory(v *web.Visit, b present.Block, f *web.Form) error {
	number, err := v.PageNumberOf("version")
	if err != nil {
		return err
	}
	h, is, before, err := v.App().Collections.BlockVersion(v.R.Context(), v.Actor(), b.ID, asked(v, number))
	if err != nil {
		return err
	}
	return showHistory(v, b.Path(), b.Heading(), h, is, before, f)
}

// channelHistoryPage shows the versions of a channel.
func channelHistoryPage(v *web.Visit) error {
	c, moved, err := channelOf(v)
	if err != nil {
		return err
	}
	if moved != "" {
		return v.Redirect(moved)
	}
	return showChannelHistory(v, c, nil)
}

func showChannelHistory(v *web.Visit, c present.Channel, f *web.Form) error {
	number, err := v.PageNumberOf("version")
	if err != nil {
		return err
	}
	h, is, before, err := v.App().Collections.ChannelVersion(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, asked(v, number))
	if err != nil {
		return err
	}
	return showHistory(v, c.Path(), c.Title, h, is, before, f)
}

// asked returns the number of the version in the address, or 0 for the current one.
func asked(v *web.Visit, number int64) int64 {
	if v.Query("version") == "" {
		return 0
	}
	return number
}

func showHistory(v *web.Visit, path, heading string, h collections.History, is domain.TextVersion, before *domain.Texts, f *web.Form) error {
	shown := historyView{Path: path, Heading: heading, Shown: is, Digest: h.Texts.Digest(), Current: is.Number == h.Versions[0].Number}
	for i := range h.Versions {
		shown.Versions = append(shown.Versions, versionView{h.Versions[i], v.Addresses().Principal(&h.Versions[i].By)})
	}
	was := map[string]string{}
	if before == nil {
		before = &is.Texts // the first version shows its texts
	}
	before.Each(func(name string, text *string) {
		if text != nil {
			was[name] = *text
		}
	})
	is.Texts.Each(func(name string, text *string) {
		now := ""
		if text != nil {
			now = *text
		}
		if now != "" || was[name] != "" {
			shown.Changes = append(shown.Changes, change{v.T(blockTexts[slices.Index(blockTexts, name)+1]), difference.Words(was[name], now)})
		}
	})
	return v.Page("history", v.T("collect.history.of", heading), f, shown)
}

// restoreBlock replaces the texts of a block by those of an earlier version.
func restoreBlock(v *web.Visit) error {
	b, err := blockByID(v)
	if err != nil {
		return err
	}
	f := v.Form()
	err = restore(f, func(number int64, seen string) error {
		return v.App().Collections.RestoreBlock(v.R.Context(), v.Actor(), b.ID, number, seen)
	})
	if conflicting(err) && f.Refused(err, "version") {
		return showBlockHistory(v, b, f)
	}
	if err != nil {
		return err
	}
	return v.Done(b.Path(), "version-restored")
}

// restoreChannel replaces the texts of a channel by those of an earlier version.
func restoreChannel(v *web.Visit) error {
	c, _, err := channelOf(v)
	if err != nil {
		return err
	}
	f, ref := v.Form(), domain.Ref{ID: int64(c.ID)}
	err = restore(f, func(number int64, seen string) error {
		return v.App().Collections.RestoreChannel(v.R.Context(), v.Actor(), ref, number, seen)
	})
	if conflicting(err) && f.Refused(err, "version") {
		return showChannelHistory(v, c, f)
	}
	if err != nil {
		return err
	}
	full, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), ref) // its address follows its title
	if err != nil {
		return err
	}
	return v.Done(v.Addresses().Channel(&full.Channel).Path(), "version-restored")
}

// restore calls do with the posted version and the digest of the texts that the user saw.
func restore(f *web.Form, do func(number int64, seen string) error) error {
	number, err := web.ID(f.Get("restore"))
	if err != nil {
		return err
	}
	return do(number, f.Get("seen"))
}

package collect

import (
	"net/http"
	"slices"

	"vitrine/internal/app/core"
	"vitrine/internal/difference"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// historyView is the page of the versions of a block, channel, group or profile.
type historyView struct {
	Path     string // of that
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
	return showHistory(v, historyView{Path: b.Path(), Heading: b.Heading()}, blockTexts, h, is, before, f)
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
	return showHistory(v, historyView{Path: c.Path(), Heading: c.Title}, blockTexts, h, is, before, f)
}

// profileHistoryPage shows the versions of the reader's profile.
func profileHistoryPage(v *web.Visit) error { return showProfileHistory(v, nil) }

func showProfileHistory(v *web.Visit, f *web.Form) error {
	number, err := v.PageNumberOf("version")
	if err != nil {
		return err
	}
	h, is, before, err := v.App().People.ProfileVersion(v.R.Context(), v.Actor(), asked(v, number))
	if err != nil {
		return err
	}
	return showHistory(v, historyView{Path: profilePath, Heading: v.Account.Name}, profileTexts, h, is, before, f)
}

// profilePath is the address of the form of the profile.
const profilePath = "/settings/profile"

// groupHistoryPage shows the versions of a group.
func groupHistoryPage(v *web.Visit) error { return showGroupHistory(v, nil) }

func showGroupHistory(v *web.Visit, f *web.Form) error {
	number, err := v.PageNumberOf("version")
	if err != nil {
		return err
	}
	g, err := v.App().People.Group(v.R.Context(), v.Actor(), groupRef(v))
	if err != nil {
		return err
	}
	at := v.Addresses().Group(&g)
	if v.R.Method == http.MethodGet && v.Args[0] != g.Slug {
		return v.Moved(at.Path() + "/history")
	}
	h, is, before, err := v.App().People.GroupVersion(v.R.Context(), v.Actor(), domain.Ref{ID: int64(g.ID)}, asked(v, number))
	if err != nil {
		return err
	}
	return showHistory(v, historyView{Path: at.Path(), Heading: g.Name}, groupTexts, h, is, before, f)
}

func groupRef(v *web.Visit) domain.Ref { return domain.ParseRef(v.Args[0]) }

// asked returns the number of the version in the address, or 0 for the current one.
func asked(v *web.Visit, number int64) int64 {
	if v.Query("version") == "" {
		return 0
	}
	return number
}

// profileTexts and groupTexts are the texts of profiles and groups and their labels, like blockTexts.
var (
	profileTexts = []string{"title", "account.field.name", "description", "account.field.bio"}
	groupTexts   = []string{"title", "people.group.name", "description", "people.group.description"}
)

// showHistory shows a page of versions. texts are the labels of the texts.
func showHistory(v *web.Visit, shown historyView, texts []string, h core.History, is domain.TextVersion, before *domain.Texts, f *web.Form) error {
	shown.Shown, shown.Digest, shown.Current = is, h.Texts.Digest(), is.Number == h.Versions[0].Number
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
			shown.Changes = append(shown.Changes, change{v.T(texts[slices.Index(texts, name)+1]), difference.Words(was[name], now)})
		}
	})
	return v.Page("history", v.T("collect.history.of", shown.Heading), f, shown)
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

// restoreProfile replaces the name and biography of the reader by those of an earlier version.
func restoreProfile(v *web.Visit) error {
	f := v.Form()
	err := restore(f, func(number int64, seen string) error {
		return v.App().People.RestoreProfile(v.R.Context(), v.Actor(), number, seen)
	})
	if conflicting(err) && f.Refused(err, "version") {
		return showProfileHistory(v, f)
	}
	if err != nil {
		return err
	}
	return v.Done(profilePath, "version-restored")
}

// restoreGroup replaces the name and description of a group by those of an earlier version.
func restoreGroup(v *web.Visit) error {
	f, path := v.Form(), ""
	err := restore(f, func(number int64, seen string) error {
		g, err := v.App().People.RestoreGroup(v.R.Context(), v.Actor(), groupRef(v), number, seen)
		path = v.Addresses().Group(&g).Path() // follows its name
		return err
	})
	if conflicting(err) && f.Refused(err, "version") {
		return showGroupHistory(v, f)
	}
	if err != nil {
		return err
	}
	return v.Done(path, "version-restored")
}

// restore calls do with the posted version and the digest of the texts that the user saw.
func restore(f *web.Form, do func(number int64, seen string) error) error {
	number, err := web.ID(f.Get("restore"))
	if err != nil {
		return err
	}
	return do(number, f.Get("seen"))
}

package site

import (
	"strconv"
	"unicode/utf8"

	"vitrine/internal/app"
	"vitrine/internal/domain"
)

// profilePage shows what the account says of itself.
func profilePage(v *visit) error {
	bio := ""
	if v.account.Bio != nil {
		bio = v.account.Bio.Markdown
	}
	return v.showProfile(filled("name", v.account.Name, "bio", bio))
}

func (v *visit) showProfile(f *form) error { return v.page("profile", "Profile", f, nil) }

// saveProfile changes name and bio, and the picture if another one is named or it is to go.
func saveProfile(v *visit) error {
	f := v.form()
	name, bio, avatar := f.trimmed("name"), f.get("bio"), f.trimmed("avatar_url")
	in := app.UpdateMeInput{Name: &name, Bio: app.Patch{Set: true, Value: &bio}}
	switch {
	case f.Has("avatar", "none"):
		in.Avatar = app.Patch{Set: true}
	case avatar != "":
		in.Avatar = app.Patch{Set: true, Value: &avatar}
	}
	if checkProfile(f, name, bio); f.status != 0 {
		return v.showProfile(f)
	}
	if _, err := v.app().UpdateMe(v.r.Context(), v.actor(), in); err != nil {
		if f.refused(err, "name", "bio", "avatar_url") {
			return v.showProfile(f)
		}
		return err
	}
	return v.done("/settings/profile", "profile")
}

// checkProfile holds a profile against the limits that the description has for what
// comes through the API.
func checkProfile(f *form, name, bio string) {
	if name == "" {
		f.wrong("name", "must not be blank")
	}
	if utf8.RuneCountInString(name) > domain.MaxTitle {
		f.wrong("name", "must have at most "+strconv.Itoa(domain.MaxTitle)+" characters")
	}
	if utf8.RuneCountInString(bio) > domain.MaxDescription {
		f.wrong("bio", "must have at most "+strconv.Itoa(domain.MaxDescription)+" characters")
	}
}

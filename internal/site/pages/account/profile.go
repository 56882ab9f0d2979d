package account

import (
	"strconv"
	"unicode/utf8"

	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// profilePage shows the form for the profile.
func profilePage(v *web.Visit) error {
	bio := ""
	if v.Account.Bio != nil {
		bio = v.Account.Bio.Markdown
	}
	return showProfile(v, web.Filled("name", v.Account.Name, "bio", bio))
}

func showProfile(v *web.Visit, f *web.Form) error {
	return v.Page("profile", v.T("account.title.profile"), f, nil)
}

// saveProfile changes name and bio. It changes the picture if another one was uploaded or its
// address given, or removes it.
func saveProfile(v *web.Visit) error {
	f, picture, err := v.FormWithPicture()
	if err != nil {
		return err
	}
	name, bio := f.Trimmed("name"), f.Get("bio")
	in := people.UpdateMeInput{Name: &name, Bio: core.Patch{Set: true, Value: &bio}, Avatar: picture}
	if checkProfile(f, name, bio); f.Failed() {
		return showProfile(v, f)
	}
	if _, err := v.App().People.UpdateMe(v.R.Context(), v.Actor(), in); err != nil {
		if f.Refused(err, "name", "bio", "avatar_url") {
			return showProfile(v, f)
		}
		return err
	}
	return v.Done("/settings/profile", "profile")
}

// checkProfile checks a profile against the limits in the API's description.
func checkProfile(f *web.Form, name, bio string) {
	if name == "" {
		f.Wrong("name", "must not be blank")
	}
	if utf8.RuneCountInString(name) > domain.MaxTitle {
		f.Wrong("name", "must have at most "+strconv.Itoa(domain.MaxTitle)+" characters")
	}
	if utf8.RuneCountInString(bio) > domain.MaxDescription {
		f.Wrong("bio", "must have at most "+strconv.Itoa(domain.MaxDescription)+" characters")
	}
}

package moderation

import (
	"cmp"
	"fmt"
	"strings"

	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// lookPer is how many items of a channel are on a page.
const lookPer = 48

// lookView is a reported or hidden item as operators see it.
type lookView struct {
	moderation.Look
	Path     string // of this page
	Contents []inside
	Pager    web.Pager // of them
}

// inside is an item of a channel that an operator looks at.
type inside struct {
	Kind, Label string
	Path        string // the operator's page of it, "" if it has none
}

// lookPath returns the operator's page of an item, "" if its kind has none.
func lookPath(about domain.AuditTarget) string {
	if !hideable(about.Kind) {
		return ""
	}
	return fmt.Sprintf("/operator/look/%s/%d", strings.ToLower(about.Kind), about.ID)
}

// look returns the item in the path, and logs which part of it the operator requested.
func look(v *web.Visit, part moderation.Part, page int64) (l moderation.Look, at domain.Page, err error) {
	at = domain.Page{Number: page, Per: lookPer}
	kind := kinds[v.Args[0]]
	if !hideable(string(kind)) {
		return l, at, domain.NewNotFound()
	}
	id, err := web.ID(v.Args[1])
	if err != nil {
		return l, at, err
	}
	l, err = v.App().Moderation.Look(v.R.Context(), operatorOf(v), domain.Subject{Type: kind, ID: id}, part, at)
	return l, at, err
}

// lookPage shows an item to an operator, even if others cannot see it. Pictures and files are
// loaded only on request.
func lookPage(v *web.Visit) error {
	number, err := v.PageNumber()
	if err != nil {
		return err
	}
	l, at, err := look(v, moderation.Words, number)
	if err != nil {
		return err
	}
	shown := lookView{Look: l, Path: lookPath(l.About), Pager: v.Pager(at, l.Contents.Total)}
	for _, item := range l.Contents.Items {
		cell := v.Cell(item.Entity)
		in := inside{Kind: string(domain.SubjectChannel), Label: cmp.Or(cell.Title, cell.Text, cell.Host), Path: cell.Path}
		if b := item.Block; b != nil {
			in.Kind, in.Path = string(domain.SubjectBlock), lookPath(domain.AuditTarget{Kind: string(domain.SubjectBlock), ID: int64(b.ID)})
		} else if item.Channel.Visibility == domain.Private { // not reported itself
			in.Path = ""
		}
		shown.Contents = append(shown.Contents, in)
	}
	return v.Page("look", cmp.Or(l.About.Label, v.T("moderation.kind."+l.About.Kind)), nil, shown)
}

// lookPicture answers with the picture of a block in screen size.
func lookPicture(v *web.Visit) error {
	l, _, err := look(v, moderation.Picture, 1)
	if err != nil {
		return err
	}
	picture := l.What.Block.Image
	if picture.Resized != "" {
		return v.ShowFile(*picture, picture.Version(domain.LargeImage))
	}
	return v.ShowFile(*picture, picture.Original())
}

// lookFile answers with the file of a block.
func lookFile(v *web.Visit) error {
	l, _, err := look(v, moderation.File, 1)
	if err != nil {
		return err
	}
	file := l.What.Block.File
	return v.ShowFile(*file, file.Original())
}

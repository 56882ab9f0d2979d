package people

import (
	"fmt"
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// choices is how many people are suggested for a mention.
const choices = 8

// commentsPage shows the comments on a block.
func commentsPage(v *web.Visit) error {
	b, err := block(v)
	if err != nil {
		return err
	}
	return showComments(b)(v, nil)
}

// block returns the block in the path.
func block(v *web.Visit) (domain.Block, error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return domain.Block{}, err
	}
	return v.App().Collections.Block(v.R.Context(), v.Actor(), domain.BlockID(id))
}

func showComments(b domain.Block) func(*web.Visit, *web.Form) error {
	return func(v *web.Visit, f *web.Form) error {
		n, err := v.PageNumberOf("comments")
		if err != nil {
			return err
		}
		at := domain.Page{Number: n, Per: web.CommentsPerPage}
		all, err := v.App().Collections.Comments(v.R.Context(), v.Actor(), b.ID, false, at)
		if err != nil {
			return err
		}
		data := struct {
			Path     string
			Comments web.Comments
		}{v.Addresses().Block(&b).Path(), v.Comments(b, at, all)}
		data.Comments.Form = f
		title := v.Addresses().Block(&b).Heading()
		if title == "" {
			title = v.T("people.comments.untitled")
		}
		return v.Page("comments", v.T("people.comments.on", title), f, data)
	}
}

// say creates a comment, only once per form, and redirects to it.
func say(v *web.Visit) error {
	b, err := block(v)
	if err != nil {
		return err
	}
	f := v.Form()
	body := f.Get("body")
	c, err := v.App().Collections.CommentOnce(v.R.Context(), v.Actor(), b.ID, body, v.OnceKey("comment", strconv.FormatInt(int64(b.ID), 10), body))
	if err != nil {
		return refused(v, f, err, showComments(b), "body")
	}
	to, err := place(v, c)
	if err != nil {
		return err
	}
	return v.Redirect(to)
}

// place returns the address of a comment on its block's page, with the number of the page of
// comments that contains it.
func place(v *web.Visit, c domain.Comment) (string, error) {
	n, err := v.App().Collections.CommentsUpTo(v.R.Context(), c)
	if err != nil {
		return "", err
	}
	to := v.Addresses().Entity(domain.Entity{Comment: &c}).Path()
	if page := (n + web.CommentsPerPage - 1) / web.CommentsPerPage; page > 1 {
		to += fmt.Sprintf("?comments=%d", page)
	}
	return fmt.Sprintf("%s#comment-%d", to, c.ID), nil
}

// findComment redirects to a comment. Links to it stay valid when the comment moves to another
// page.
func findComment(v *web.Visit) error {
	id, err := web.ID(v.Args[1])
	if err != nil {
		return err
	}
	c, err := v.App().Collections.Comment(v.R.Context(), v.Actor(), domain.CommentID(id))
	if err != nil {
		return err
	}
	if fmt.Sprint(c.BlockID) != v.Args[0] {
		return domain.NewNotFound()
	}
	to, err := place(v, c)
	if err != nil {
		return err
	}
	return v.Redirect(to)
}

// ownComment returns the comment in the path for its author. Others get an error.
func ownComment(v *web.Visit) (domain.Comment, error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return domain.Comment{}, err
	}
	c, err := v.App().Collections.Comment(v.R.Context(), v.Actor(), domain.CommentID(id))
	if err == nil && !domain.CanEditComment(v.Actor(), c) {
		err = domain.NewForbidden(v.T("people.comment.author-only"))
	}
	return c, err
}

// commentPage shows a comment to its author for editing.
func commentPage(v *web.Visit) error {
	c, err := ownComment(v)
	if err != nil {
		return err
	}
	return showComment(c)(v, web.Filled("body", c.Body.Markdown))
}

func showComment(c domain.Comment) func(*web.Visit, *web.Form) error {
	return func(v *web.Visit, f *web.Form) error {
		data := struct {
			domain.Comment
			Path string // of the block
		}{c, v.Addresses().Entity(domain.Entity{Comment: &c}).Path()}
		return v.Page("comment", v.T("people.comment.edit.title"), f, data)
	}
}

// changeComment saves or deletes a comment.
func changeComment(v *web.Visit) error {
	c, err := ownComment(v)
	if err != nil {
		return err
	}
	f, to := v.Form(), v.Addresses().Entity(domain.Entity{Comment: &c}).Path()
	switch f.Get("do") {
	case "save":
		if _, err := v.App().Collections.UpdateComment(v.R.Context(), v.Actor(), c.ID, f.Get("body")); err != nil {
			return refused(v, f, err, showComment(c), "body")
		}
		if to, err = place(v, c); err != nil {
			return err
		}
		return v.Done(to, "comment")
	case "delete":
		if err := v.App().Collections.DeleteComment(v.R.Context(), v.Actor(), c.ID); err != nil {
			return err
		}
		return v.Deleted(to+"#comments", "comment-deleted", domain.TrashedComment, int64(c.ID))
	}
	return web.UnknownButton()
}

// mentions suggests people for a name that is being typed. Those involved with the block of the
// query come first.
func mentions(v *web.Visit) error {
	var about domain.BlockID
	if asked := v.Query("block"); asked != "" {
		id, err := web.ID(asked)
		if err != nil {
			return err
		}
		about = domain.BlockID(id)
	}
	found, err := v.App().Finder.MentionChoices(v.R.Context(), v.Actor(), v.Query("q"), about, choices)
	if err != nil {
		return err
	}
	options := make([]web.Option, len(found))
	for i, p := range found {
		options[i] = web.Option{Value: p.Slug, Label: p.Name, Hint: "@" + p.Slug}
	}
	return v.Options(options)
}

package web

import (
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// Comments are the comments on a block, for the template "comments".
type Comments struct {
	Block domain.BlockID
	Items []Comment
	Pager Pager
	Can   bool   // the viewer may comment
	Hides bool   // the viewer may hide them as an operator
	Here  string // where forms redirect to
	Form  *Form  // the posted form, nil for none
}

// CommentsPerPage is the number of comments per page.
const CommentsPerPage = 50

// Comment is a comment with its author.
type Comment struct {
	*domain.Comment
	Author present.Principal
	Mine   bool // the viewer may change it
	Age    string
}

// Comments prepares a page of the comments on a block.
func (v *Visit) Comments(b domain.Block, page domain.Page, list domain.List[domain.Comment]) Comments {
	c := Comments{Block: b.ID, Pager: v.PagerOf("comments", page, list.Total),
		Can: domain.AbilitiesOnBlock(v.Actor(), b).Comment, Here: v.Here()}
	c.Hides = v.Account != nil && v.Account.Office == domain.OfficeOperator
	for i := range list.Items {
		one := &list.Items[i]
		c.Items = append(c.Items, Comment{one, v.Addresses().Principal(&one.Author), domain.CanEditComment(v.Actor(), *one), v.Ago(one.CreatedAt)})
	}
	return c
}

// Tags returns what the comments' ETag depends on.
func (c Comments) Tags() (all []string) {
	all = append(all, fmt.Sprint(c.Pager.Total))
	for _, one := range c.Items {
		all = append(all, fmt.Sprint(one.ID, one.Version, one.Comment.Author.Version, one.Age))
	}
	return all
}

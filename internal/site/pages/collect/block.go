package collect

import (
	"html/template"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// blockForm is the data of a block's form.
type blockForm struct {
	Block   present.Block
	Text    bool // its content is an editable text
	Rows    []row
	Preview template.HTML // of the edited text
	Asked   bool          // the user asked for a preview

	Stored   storedTexts
	Replaced []typed // stored texts that differ from those that the user saw

	Page bool // it can have saved copies

	Metadata string // state of the metadata of its file: content.MetadataRemoved and others
}

func editBlockPage(v *web.Visit) error {
	b, err := blockByID(v)
	if err != nil {
		return err
	}
	return showEditBlock(v, blockForm{Block: b, Rows: rows(nil, b.Metadata, true)}, web.Filled())
}

// blockStored returns the stored texts of a block.
func blockStored(b present.Block) storedTexts {
	s := storedTexts{"title": "", "content": "", "description": "", "alt_text": "", "tags": strings.Join(collections.TagsOf(b.Metadata), ", ")}
	if b.Title != nil {
		s["title"] = *b.Title
	}
	if b.Content != nil {
		s["content"] = b.Content.Markdown
	}
	if b.Description != nil {
		s["description"] = b.Description.Markdown
	}
	if b.AltText != nil {
		s["alt_text"] = *b.AltText
	}
	return s
}

func showEditBlock(v *web.Visit, form blockForm, f *web.Form) error {
	if !form.Block.Can(v.Actor()).Manage {
		return forbidden(v, "collect.block.not-yours")
	}
	form.Stored = blockStored(form.Block)
	form.Stored.fill(f)
	if form.Block.KeepsMetadata() && given(f, "metadata_choice") == nil {
		f.Default("keep_metadata", "yes")
	}
	form.Text = form.Block.Type == domain.TextBlock
	form.Page = content.HasPage(*form.Block.Block)
	form.Metadata = v.App().Content.MetadataState(*form.Block.Block)
	return v.Page("edit-block", v.T("collect.block.edit", form.Block.Heading()), f, form)
}

// blockTexts are the text fields of a block and their labels.
var blockTexts = []string{"title", "collect.title", "content", "collect.text", "description", "collect.description", "alt_text", "collect.alt", "tags", "collect.tags"}

func editBlock(v *web.Visit) error {
	f := v.Form()
	b, err := blockByID(v)
	if missing(err) {
		return gone(v, blockTexts...)
	}
	if err != nil {
		return err
	}
	in := collections.UpdateBlockInput{Title: given(f, "title"), Description: given(f, "description"), Seen: seen(f, blockTexts)}
	if b.Type == domain.TextBlock {
		in.Content = given(f, "content")
	}
	if b.HasImage() {
		in.AltText = given(f, "alt_text")
	}
	if f.Get("metadata_choice") == "yes" { // an unticked box sends nothing
		keep := f.Get("keep_metadata") == "yes"
		in.KeepFileMetadata = &keep
	}
	form := blockForm{Block: b, Rows: rows(f, b.Metadata, true)}
	if f.Get("do") == "preview" {
		if err := in.Validate(); err != nil && !f.Refused(err, "title", "content", "description", "alt_text") {
			return err
		}
		form.Asked = true
		if text := core.Rendered(in.Content); text != nil && f.Error("content") == "" {
			form.Preview = template.HTML(text.HTML) // sanitized like a stored text
		}
		return showEditBlock(v, form, f)
	}
	in.Metadata, err = metadataPatch(f, b.Metadata)
	if err = domain.JoinFaults(in.Validate(), err); err == nil {
		if _, err = v.App().Collections.UpdateBlock(v.R.Context(), v.Actor(), b.ID, in); err == nil {
			return v.Done(back(v, b.Path()), "block-saved")
		}
	}
	switch err = underMetadata(v, err); {
	case missing(err):
		return gone(v, blockTexts...)
	case f.Refused(err, "title", "content", "description", "alt_text", "tags", "metadata"):
		if conflicting(err) {
			var again error
			if form.Block, again = blockByID(v); again != nil {
				return again
			}
			form.Replaced = blockStored(form.Block).replaced(v, err, blockTexts)
		}
		return showEditBlock(v, form, f)
	}
	return err
}

// deletion is a block that is about to be deleted.
type deletion struct {
	Block  present.Block
	Places int // number of channels that contain it
	Days   int // how long it stays in Trash
}

func deleteBlockPage(v *web.Visit) error {
	b, err := blockByID(v)
	if err != nil {
		return err
	}
	if !b.Can(v.Actor()).Manage {
		return forbidden(v, "collect.block.not-yours")
	}
	return v.Page("delete-block", v.T("collect.block.delete"), nil, deletion{b, int(b.OpenCount + b.PrivateCount), trashDays(v)})
}

func deleteBlock(v *web.Visit) error {
	b, err := blockByID(v)
	if missing(err) {
		return gone(v)
	}
	if err != nil {
		return err
	}
	if v.Form().Get("sure") != "yes" {
		return web.UnknownButton()
	}
	err = v.App().Collections.DeleteBlock(v.R.Context(), v.Actor(), b.ID)
	if missing(err) {
		return gone(v)
	}
	if err != nil {
		return err
	}
	return v.Deleted(without(v.Next(), b.Path(), "/"+v.Account.Slug), "block-deleted", domain.TrashedBlock, int64(b.ID))
}

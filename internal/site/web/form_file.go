package web

import (
	"bufio"
	"errors"
	"io"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// FormWithFile reads a form of a route with Files, and takes the file of one of its fields as
// an upload of whoever sends it. upload is its address, "" where no file was chosen or where it
// was refused, which the form then says at the field.
func (v *Visit) FormWithFile(field string) (f *Form, upload string, err error) {
	if !v.HasParts() {
		return v.Form(), "", nil
	}
	why := ""
	err = v.Parts(func(p Part) (err error) {
		if p.Field != field || upload != "" || why != "" {
			return nil
		}
		body := bufio.NewReader(p.Body)
		if _, err := body.Peek(1); err == io.EOF {
			why = v.T("web.file.empty")
			return nil
		}
		file, err := v.App().ReceiveFile(v.R.Context(), v.Actor(), content.FormFile{Name: p.Name, ContentType: p.ContentType, Body: body})
		if err == nil {
			upload = file.Value
			return nil
		}
		if why = v.fileRefused(err); why == "" {
			return err
		}
		// The fields after it are read too, unless there is no end to the file.
		if n, _ := io.CopyN(io.Discard, body, v.App().UploadLimit()); n == v.App().UploadLimit() {
			return ErrEnded
		}
		return nil
	})
	f = v.Form()
	switch {
	case errors.Is(err, ErrEnded) && why == "":
		upload, why = "", v.T("web.file.ended")
	case err != nil && !errors.Is(err, ErrEnded):
		return nil, "", err
	}
	if why != "" {
		f.Wrong(field, why)
	}
	return f, upload, nil
}

// fileRefused says why a file was refused, "" where that is not what the error is about.
func (v *Visit) fileRefused(err error) string {
	known, ours := errors.AsType[*domain.Error](err)
	if !ours {
		return ""
	}
	switch known.Kind {
	case domain.TooLarge:
		return v.T("web.file.large", domain.FormatBytes(v.App().UploadLimit()))
	case domain.Invalid, domain.Timeout:
		return v.T("web.file.ended")
	case domain.Forbidden, domain.Unprocessable:
		return known.Message
	}
	return ""
}

// FormWithPicture reads a form that has the template "picture-fields", and gives what it wishes
// for the picture: a file that was sent, none, that of an address, or what there is. A file that
// makes no picture is refused at its field. One that does is kept where the form is shown again
// for another fault: it need not be sent twice.
func (v *Visit) FormWithPicture() (f *Form, wish core.Patch, err error) {
	f, upload, err := v.FormWithFile("picture")
	if err != nil {
		return nil, wish, err
	}
	if upload == "" {
		upload = f.Trimmed("kept")
	}
	f.values.Del("kept")
	if upload != "" {
		if err := v.App().CheckPicture(v.R.Context(), v.Actor(), "picture", upload); err != nil {
			if !f.Refused(err, "picture") {
				return nil, wish, err
			}
			return f, wish, nil
		}
		f.values.Set("kept", upload)
		return f, core.Patch{Set: true, Value: &upload}, nil
	}
	if address := f.Trimmed("avatar_url"); f.Has("avatar", "none") {
		wish.Set = true
	} else if address != "" {
		wish = core.Patch{Set: true, Value: &address}
	}
	return f, wish, nil
}

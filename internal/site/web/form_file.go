package web

import (
	"bufio"
	"errors"
	"io"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// FormWithFile reads a form of a route with Files, and stores the file of a field as an upload of
// the user. upload is its address, "" if no file was chosen or if it was refused; then the form
// shows the reason at the field.
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
		file, err := v.App().Content.ReceiveFile(v.R.Context(), v.Actor(), content.FormFile{Name: p.Name, ContentType: p.ContentType, Body: body})
		if err == nil {
			upload = file.Value
			return nil
		}
		if why = v.fileRefused(err); why == "" {
			return err
		}
		// Read the fields after the file too, unless the file may be endless.
		if n, _ := io.CopyN(io.Discard, body, v.App().Content.UploadLimit()); n == v.App().Content.UploadLimit() {
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

// fileRefused returns the reason why a file was refused, "" for other errors.
func (v *Visit) fileRefused(err error) string {
	known, ours := errors.AsType[*domain.Error](err)
	if !ours {
		return ""
	}
	switch known.Kind {
	case domain.TooLarge:
		return v.T("web.file.large", domain.FormatBytes(v.App().Content.UploadLimit()))
	case domain.Invalid, domain.Timeout:
		return v.T("web.file.ended")
	case domain.Forbidden, domain.Unprocessable:
		return known.Message
	}
	return ""
}

// FormWithPicture reads a form with the template "picture-fields", and returns the new value of the
// picture: an uploaded file, none, an address, or unchanged. A file that is not a picture is
// refused at its field. A valid one is stored even if another field has an error, so that the user
// need not upload it again.
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
		if err := v.App().Content.CheckPicture(v.R.Context(), v.Actor(), "picture", upload); err != nil {
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

package mail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	gomail "github.com/wneessen/go-mail"

	"vitrine/internal/durable"
)

// folder stores mails as files, "<id>.eml", readable only by the owner of the data, because they contain
// sign-in links.
type folder string

// deliver writes a mail atomically.
func (dir folder) deliver(_ context.Context, id string, m *gomail.Msg) error {
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	f, err := os.CreateTemp(string(dir), "."+id+"-*") // readable by the owner only
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	_, err = m.WriteTo(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = durable.Rename(f.Name(), filepath.Join(string(dir), id+".eml"))
	}
	if err != nil {
		if remove := os.Remove(f.Name()); !errors.Is(remove, fs.ErrNotExist) {
			err = errors.Join(err, remove)
		}
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}

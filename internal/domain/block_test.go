package domain_test

import (
	"reflect"
	"testing"

	"vitrine/internal/domain"
)

func TestVisibilityOfBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		open, private int64
		want          domain.BlockVisibility
	}{
		{0, 0, domain.BlockOrphan},
		{0, 3, domain.BlockPrivate},
		{1, 0, domain.BlockPublic},
		{1, 5, domain.BlockPublic},
	} {
		if got := (domain.Block{OpenCount: c.open, PrivateCount: c.private}).Visibility(); got != c.want {
			t.Errorf("in %d open and %d private channels it is %s", c.open, c.private, got)
		}
	}
}

func TestBlocksWithImages(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.BlockType{domain.ImageBlock, domain.LinkBlock, domain.AttachmentBlock, domain.EmbedBlock} {
		if !(domain.Block{Type: kind, Image: new(domain.File)}).HasImage() || (domain.Block{Type: kind}).HasImage() {
			t.Errorf("%s: an image decides", kind)
		}
	}
}

// Authors can change their blocks; all users with write scope can comment and connect.
func TestAbilitiesOnBlocks(t *testing.T) {
	t.Parallel()
	mine := domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(writer.UserID)}}
	groups := domain.Block{Author: domain.Principal{PrincipalRef: domain.GroupRef(domain.GroupID(writer.UserID))}}
	for _, c := range []struct {
		name  string
		actor domain.Actor
		block domain.Block
		want  domain.BlockAbilities
	}{
		{"author", writer, mine, domain.BlockAbilities{Manage: true, Comment: true, Connect: true}},
		{"another", other, mine, domain.BlockAbilities{Comment: true, Connect: true}},
		{"a user with the id of a group", writer, groups, domain.BlockAbilities{Comment: true, Connect: true}},
		{"author who may only read", reader, mine, domain.BlockAbilities{}},
		{"guest", guest, mine, domain.BlockAbilities{}},
		{"guest of a block by nobody", guest, domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(0)}}, domain.BlockAbilities{}},
	} {
		if got := domain.AbilitiesOnBlock(c.actor, c.block); got != c.want || domain.CanManage(c.actor, c.block) != c.want.Manage {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Each of the texts of a block has one declaration, which is named like its key in exports.
func TestBlockTextFields(t *testing.T) {
	t.Parallel()
	var texts domain.BlockTexts
	fields := reflect.TypeFor[domain.BlockTexts]()
	if n := fields.NumField(); n != len(domain.BlockTextFields) {
		t.Errorf("%d texts have %d declarations", n, len(domain.BlockTextFields))
	}
	for i, f := range domain.BlockTextFields {
		*f.Of(&texts) = &f.Name
		if got := reflect.ValueOf(texts).Field(i).Interface(); got != &f.Name {
			t.Errorf("%s is not the field %s", f.Name, fields.Field(i).Name)
		}
		if got := fields.Field(i).Tag.Get("json"); got != f.Name+",omitempty" {
			t.Errorf("%s is exported as %q", f.Name, got)
		}
	}
}

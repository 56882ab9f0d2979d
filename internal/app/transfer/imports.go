package transfer

import (
	"context"
	"crypto/cipher"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/weburl"
)

// RunImport is the job that does the next step of an import.
type RunImport struct {
	Import   domain.ImportID `json:"import_id"`
	Encoding string          `json:"encoding,omitempty"` // of the file, in the first job of an import; "": it is detected
}

// Kind implements jobs.Args.
func (RunImport) Kind() string { return "run_import" }

// RunFileImport is RunImport for a file that is not an export. Earlier versions would refuse some of these
// files, and ignore a named encoding. During an upgrade they leave jobs of an unknown kind to newer nodes.
type RunFileImport RunImport

// Kind implements jobs.Args.
func (RunFileImport) Kind() string { return "run_file_import" }

// maxImportAttempts is how often a step is tried, over about ten minutes.
const maxImportAttempts = 8

// importJobAttempts is how often the queue runs the job: more, since a server that dies in an
// attempt uses up one here as well.
const importJobAttempts = 2 * maxImportAttempts

// ImportsKept is for how long an import is listed after its end.
const ImportsKept = 90 * core.Day

// mostLeftOut is how much of what an import cannot take is listed; the rest is counted.
const mostLeftOut = 1000

// DefaultSource is the server that an import is from unless it names another.
const DefaultSource = "https://api.are.na"

// StartImportInput is what to bring in: from a server (Address, Token, What), or from a file
// that was uploaded.
type StartImportInput struct {
	Source      domain.ImportSource // "" for FromFile if there is an upload
	Address     string              // of the server; "" for Are.na
	Token       string              // for it; "" for what guests see
	What        []string            // channels, @users, group/slugs; none for all of the token's user
	Choose      bool                // list the channels, and wait for ChooseImport
	Upload      string              // key or address of an upload
	Encoding    string              // of the file, as browsers call it; "" to detect it
	Visibility  domain.Visibility   // of channels whose source defines none; "" for private
	IntoVisible bool                // a private import may add to channels that everyone can see
	Once        core.OnceKey
}

// Validate checks all that can be seen without asking anybody.
func (in StartImportInput) Validate() error {
	var f domain.Faults
	in.Once.Check(&f)
	if in.Source != "" || in.Upload == "" {
		domain.Among(&f, "source", in.Source, domain.FromArena, domain.FromFile, domain.FromBookmarks, domain.FromSheet, domain.FromExport)
	}
	if in.Visibility != "" {
		domain.Among(&f, "visibility", in.Visibility, domain.Public, domain.Closed, domain.Private)
	}
	if in.Source == domain.FromArena {
		in.server(&f)
		return f.Err()
	}
	if _, ok := domain.EncodingNamed(in.Encoding); in.Encoding != "" && !ok {
		f.Add("encoding", domain.FieldUnknown, "must be the name of a character encoding, such as utf-8 or shift_jis")
	}
	for _, other := range []struct {
		path  string
		given bool
	}{{"address", in.Address != ""}, {"token", in.Token != ""}, {"what", len(in.What) > 0}} {
		if other.given {
			f.Add(other.path, domain.FieldExclusive, "is for another server, and this is a file")
		}
	}
	if in.Upload == "" {
		f.Add("upload_key", domain.FieldRequired, "is required: send the file first")
	}
	return f.Err()
}

// wanted is the form of what can be brought from a server: the slug or id of a channel, a user,
// a group.
var wanted = regexp.MustCompile(`^(@|group/)?[A-Za-z0-9][A-Za-z0-9_-]*$`)

// server checks what is said of a server.
func (in StartImportInput) server(f *domain.Faults) {
	if in.Upload != "" {
		f.Add("upload_key", domain.FieldExclusive, "is for a file, and this is a server")
	}
	if in.Encoding != "" {
		f.Add("encoding", domain.FieldExclusive, "is for a file, and this is a server")
	}
	if len(in.Address) > domain.MaxURL {
		f.Add("address", domain.FieldTooLong, fmt.Sprintf("must be at most %d bytes long", domain.MaxURL))
	} else if in.Address != "" {
		checkServer(f, in.Address)
	}
	if f.Text("token", in.Token, domain.MaxImportToken) && strings.ContainsFunc(in.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		f.Add("token", domain.FieldMalformed, "must be a token, without spaces")
	}
	switch {
	case len(in.What) == 0 && in.Token == "":
		f.Add("what", domain.FieldRequired, "is required without a token")
	case len(in.What) > domain.MaxImportWhat:
		f.Count("what", len(in.What), domain.MaxImportWhat)
	default:
		for i, what := range in.What {
			if path := fmt.Sprintf("what[%d]", i); f.RequiredText(path, what, domain.MaxImportName) && !wanted.MatchString(what) {
				f.Add(path, domain.FieldMalformed, "must be the slug of a channel, @ and that of a user, or group/ and that of a group")
			}
		}
	}
}

// checkServer checks the address of a server.
func checkServer(f *domain.Faults, address string) {
	before := len(*f)
	core.CheckCredentials(f, "address", address)
	if len(*f) > before {
		return
	}
	u, err := weburl.Parse(address)
	if err != nil || u.RawQuery != "" || u.Fragment != "" || !f.Text("address", address, domain.MaxURL) {
		if len(*f) == before {
			f.Add("address", domain.FieldMalformed, "must be the address of a server, such as "+DefaultSource)
		}
	}
}

// StartImport begins to bring in a collection, in the background. A user has one import at a
// time.
func (a *Transfer) StartImport(ctx context.Context, actor domain.Actor, in StartImportInput) (i domain.Import, err error) {
	if err := in.Validate(); err != nil {
		return i, err
	}
	encoding, _ := domain.EncodingNamed(in.Encoding)
	i = domain.Import{UserID: actor.UserID, Source: in.Source, What: in.What, Choose: in.Choose, Visibility: in.Visibility, IntoVisible: in.IntoVisible,
		State: domain.ImportQueued, CreatedAt: a.Now()}
	if i.Visibility == "" {
		i.Visibility = domain.Private
	}
	if in.Source == domain.FromArena {
		i.Address = strings.TrimRight(strings.TrimSpace(in.Address), "/")
		if i.Address == "" {
			i.Address = DefaultSource
		}
		if err := a.content.CheckReachable("address", i.Address); err != nil {
			return i, err
		}
		if err := a.CheckSites(ctx, core.Link{Field: "address", Address: i.Address}); err != nil {
			return i, err
		}
	} else if err := a.importFile(ctx, actor, in.Upload, encoding, &i); err != nil {
		return i, err
	}
	key, err := a.sealer(ctx) // which may write, so not within the transaction
	if err != nil {
		return i, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		id, _, err := core.Once(ctx, tx, actor.UserID, in.Once, "Import", i.CreatedAt, func() (int64, error) {
			id, err := addImport(ctx, tx, key, i, in.Token, encoding)
			return int64(id), err
		})
		if err == nil {
			i, err = tx.Import(ctx, actor.UserID, domain.ImportID(id))
		}
		return err
	})
	return i, err
}

// importFile finds the upload that an import is to read.
func (a *Transfer) importFile(ctx context.Context, actor domain.Actor, named, encoding string, i *domain.Import) error {
	const field = "upload_key"
	u, ok, err := a.content.UploadNamed(ctx, actor, field, named)
	if !ok {
		u, ok, err = a.content.UploadNamed(ctx, actor, field, a.content.UploadValue(named))
	}
	if err == nil && !ok {
		err = domain.InvalidField(field, domain.FieldUnknown, "names no upload of yours")
	}
	if err != nil {
		return err
	}
	i.UploadID, i.FileName = u.ID, u.Name
	if i.Source == "" {
		i.Source = domain.FromFile
	}
	return a.checkUpload(ctx, actor, *i, encoding)
}

// addImport notes an import, its token and its first job.
func addImport(ctx context.Context, tx *store.Tx, key cipher.AEAD, i domain.Import, token, encoding string) (id domain.ImportID, err error) {
	if i.UploadID != 0 {
		if err := tx.KeepUpload(ctx, i.UploadID); domain.KindOf(err) == domain.NotFound {
			return 0, domain.InvalidField("upload_key", domain.FieldUnknown, "names no upload of yours")
		} else if err != nil {
			return 0, err
		}
	}
	id, ok, err := tx.AddImport(ctx, i)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return 0, domain.NewUnprocessable("You have an import that has not ended. Wait for it, or stop it")
	}
	if token != "" {
		if err := tx.SealImport(ctx, id, key.Seal(nil, nil, []byte(token), boundTo(id))); err != nil {
			return 0, err
		}
	}
	i.ID = id
	return id, nextStep(ctx, tx, i, encoding)
}

// nextStep enqueues the next step of an import. The first step of a file needs its encoding.
func nextStep(ctx context.Context, tx *store.Tx, i domain.Import, encoding string) error {
	var job jobs.Args = RunImport{Import: i.ID, Encoding: encoding}
	if i.Source != domain.FromArena && i.Source != domain.FromExport {
		job = RunFileImport{Import: i.ID, Encoding: encoding}
	}
	return tx.Enqueue(ctx, job, jobs.Attempts(importJobAttempts), jobs.For(int64(i.UserID)))
}

// ImportReport is an import with its steps and what it could not take, as far as they are listed.
type ImportReport struct {
	domain.Import
	Channels []domain.ImportStep
	LeftOut  []domain.LeftOut
	File     domain.ImportFile // of an import from a file, once it was read
}

// Import tells its owner of an import.
func (a *Transfer) Import(ctx context.Context, actor domain.Actor, id domain.ImportID) (r ImportReport, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) (err error) {
		if r.Import, err = v.Import(ctx, actor.UserID, id); err != nil {
			return err
		}
		if r.Channels, err = v.ImportSteps(ctx, id, domain.MaxImportChannels); err != nil {
			return err
		}
		if r.LeftOut, err = v.LeftOut(ctx, id); err != nil || r.Source == domain.FromArena {
			return err
		}
		r.File, err = v.ImportFile(ctx, id)
		return err
	})
	return r, err
}

// Imports lists the imports of the actor, newest first.
func (a *Transfer) Imports(ctx context.Context, actor domain.Actor, page domain.Page) (l domain.List[domain.Import], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) (err error) {
		l, err = v.Imports(ctx, actor.UserID, page)
		return err
	})
	return l, err
}

// ChooseImport has an import that waits for it go on with the steps that are named by their
// numbers.
func (a *Transfer) ChooseImport(ctx context.Context, actor domain.Actor, id domain.ImportID, steps []int64) error {
	var f domain.Faults
	f.Count("channels", len(steps), domain.MaxImportChannels)
	if err := f.Err(); err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		i, err := tx.Import(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		known, err := tx.ImportSteps(ctx, id, domain.MaxImportChannels)
		if err != nil {
			return err
		}
		for n, step := range steps {
			if !slices.ContainsFunc(known, func(s domain.ImportStep) bool { return s.N == step }) {
				return domain.InvalidField(fmt.Sprintf("channels[%d]", n), domain.FieldUnknown, "is none of the channels that were found")
			}
		}
		waited, err := tx.ChooseSteps(ctx, id, steps)
		if err != nil || !waited {
			return err
		}
		return nextStep(ctx, tx, i, "")
	})
}

// StopImport ends an import that has not ended. What it has brought stays.
func (a *Transfer) StopImport(ctx context.Context, actor domain.Actor, id domain.ImportID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Import(ctx, actor.UserID, id); err != nil {
			return err
		}
		return a.endImport(ctx, tx, id, domain.ImportStopped, "")
	})
}

// endImport ends an import, and forgets its token and its file.
func (a *Transfer) endImport(ctx context.Context, tx *store.Tx, id domain.ImportID, state domain.ImportState, reason string) error {
	now := a.Now()
	upload, ended, err := tx.EndImport(ctx, id, state, core.NonEmpty(&reason), now)
	if err != nil || !ended || upload == 0 {
		return err
	}
	return tx.DropUpload(ctx, upload, now)
}

// SweepImports is the job that forgets imports that ended long ago, and ends those for whose
// channels nobody came to choose.
type SweepImports struct{}

// Kind implements jobs.Args.
func (SweepImports) Kind() string { return "sweep_imports" }

// choosingFor is how long an import waits for its owner to choose: it keeps a token.
const choosingFor = core.Day

// SweepImports is that job. It may stop anywhere and run again.
func (a *Transfer) SweepImports(ctx context.Context) error {
	now := a.Now()
	stale, err := a.Store.StaleImports(ctx, now.Add(-choosingFor), core.SweepBatch)
	if err != nil {
		return err
	}
	for _, id := range stale {
		if err := a.Store.InTx(ctx, func(tx *store.Tx) error {
			return a.endImport(ctx, tx, id, domain.ImportFailed, "Nothing was chosen within a day")
		}); err != nil {
			return err
		}
	}
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.SweepImports(ctx, now.Add(-ImportsKept), core.SweepBatch) })
}

// SweepInterval is how often SweepImports runs.
const SweepInterval = content.SweepInterval

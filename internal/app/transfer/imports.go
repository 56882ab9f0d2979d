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

// RunImport is the job that runs the next step of an import.
type RunImport struct {
	Import   domain.ImportID `json:"import_id"`
	Encoding string          `json:"encoding,omitempty"` // of the file, in the first job of an import; "" to detect it
}

// Kind implements jobs.Args.
func (RunImport) Kind() string { return "run_import" }

// RunFileImport is RunImport for a file that is not an export. Earlier versions would refuse some of these
// files, and ignore a named encoding. During an upgrade they leave jobs of an unknown kind to newer nodes.
type RunFileImport RunImport

// Kind implements jobs.Args.
func (RunFileImport) Kind() string { return "run_file_import" }

// maxImportAttempts is the number of attempts at a step, over about ten minutes.
const maxImportAttempts = 8

// importJobAttempts is how often the queue runs the job. It is higher, because an attempt during which the server dies
// also counts.
const importJobAttempts = 2 * maxImportAttempts

// ImportsKept is how long an import is listed after its end.
const ImportsKept = 90 * core.Day

// maxLeftOut is the number of skipped items of an import that are listed; the rest is only counted.
const maxLeftOut = 1000

// DefaultSource is the server of an import that names no other.
const DefaultSource = "https://api.are.na"

// StartImportInput is an import to start: from a server (Address, Token, What), or from an uploaded file.
type StartImportInput struct {
	Source      domain.ImportSource // "" for FromFile if there is an upload
	Address     string              // of the server; "" for Are.na
	Token       string              // for the server; "" for what guests see
	What        []string            // channels, @users, group/slugs; empty for everything of the token's user
	Choose      bool                // list the channels, and wait for ChooseImport
	Upload      string              // key or address of an upload
	Encoding    string              // of the file, by the name that browsers use; "" to detect it
	Visibility  domain.Visibility   // of channels whose source defines none; "" for private
	IntoVisible bool                // a private import may add to channels that everyone can see
	Once        core.OnceKey
}

// Validate checks everything that needs no request.
func (in StartImportInput) Validate() error {
	var f domain.Faults
	in.Once.Check(&f)
	if in.Source != "" || in.Upload == "" {
		domain.Among(&f, "source", in.Source, domain.FromArena, domain.FromFile, domain.FromBookmarks, domain.FromSheet, domain.FromExport)
	}
	if in.Visibility != "" {
		domain.Among(&f, "visibility", in.Visibility, domain.Public, domain.Closed, domain.Private)
	}
	if !in.Source.IsFile() {
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

// wanted matches what can be imported from a server: the slug or id of a channel, a user or a group.
var wanted = regexp.MustCompile(`^(@|group/)?[A-Za-z0-9][A-Za-z0-9_-]*$`)

// server checks the fields about the server.
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

// StartImport starts an import in the background. A user can run one import at a time.
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
	if !in.Source.IsFile() {
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
	key, err := a.sealer(ctx) // it may write, so it is not part of the transaction
	if err != nil {
		return i, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		id, _, err := core.Once(ctx, tx, actor.UserID, in.Once, "Import", i.CreatedAt, func() (int64, error) {
			id, err := addImport(ctx, tx, key, i, in.Token, encoding)
			return int64(id), err
		})
		if err == nil {
			i, err = tx.Imports().Import(ctx, actor.UserID, domain.ImportID(id))
		}
		return err
	})
	return i, err
}

// importFile finds the upload of an import.
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

// addImport stores an import, its token and its first job.
func addImport(ctx context.Context, tx *store.Tx, key cipher.AEAD, i domain.Import, token, encoding string) (id domain.ImportID, err error) {
	if i.UploadID != 0 {
		if err := tx.Blobs().KeepUpload(ctx, i.UploadID); domain.KindOf(err) == domain.NotFound {
			return 0, domain.InvalidField("upload_key", domain.FieldUnknown, "names no upload of yours")
		} else if err != nil {
			return 0, err
		}
	}
	id, ok, err := tx.Imports().AddImport(ctx, i)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return 0, domain.NewUnprocessable("You have an import that has not ended. Wait for it, or stop it")
	}
	if token != "" {
		if err := tx.Imports().SealImport(ctx, id, key.Seal(nil, nil, []byte(token), boundTo(id))); err != nil {
			return 0, err
		}
	}
	i.ID = id
	return id, nextStep(ctx, tx, i, encoding)
}

// nextStep enqueues the next step of an import. The first step of a file needs its encoding.
func nextStep(ctx context.Context, tx *store.Tx, i domain.Import, encoding string) error {
	var job jobs.Args = RunImport{Import: i.ID, Encoding: encoding}
	if i.Source.IsFile() && i.Source != domain.FromExport {
		job = RunFileImport{Import: i.ID, Encoding: encoding}
	}
	return tx.Enqueue(ctx, job, jobs.Attempts(importJobAttempts), jobs.For(int64(i.UserID)))
}

// ImportReport is an import with its steps and the listed part of its skipped items.
type ImportReport struct {
	domain.Import
	Channels []domain.ImportStep
	LeftOut  []domain.LeftOut
	File     domain.ImportFile // of an import from a file, after it was read
}

// Import reads an import for its owner.
func (a *Transfer) Import(ctx context.Context, actor domain.Actor, id domain.ImportID) (r ImportReport, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) (err error) {
		if r.Import, err = v.Imports().Import(ctx, actor.UserID, id); err != nil {
			return err
		}
		if r.Channels, err = v.Imports().ImportSteps(ctx, id, domain.MaxImportChannels); err != nil {
			return err
		}
		if r.LeftOut, err = v.Imports().LeftOut(ctx, id); err != nil || !r.Source.IsFile() {
			return err
		}
		r.File, err = v.Imports().ImportFile(ctx, id)
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
		l, err = v.Imports().Imports(ctx, actor.UserID, page)
		return err
	})
	return l, err
}

// ChooseImport continues an import that waits for a choice, with the steps of these numbers.
func (a *Transfer) ChooseImport(ctx context.Context, actor domain.Actor, id domain.ImportID, steps []int64) error {
	var f domain.Faults
	f.Count("channels", len(steps), domain.MaxImportChannels)
	if err := f.Err(); err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		i, err := tx.Imports().Import(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		known, err := tx.Imports().ImportSteps(ctx, id, domain.MaxImportChannels)
		if err != nil {
			return err
		}
		for n, step := range steps {
			if !slices.ContainsFunc(known, func(s domain.ImportStep) bool { return s.N == step }) {
				return domain.InvalidField(fmt.Sprintf("channels[%d]", n), domain.FieldUnknown, "is none of the channels that were found")
			}
		}
		waited, err := tx.Imports().ChooseSteps(ctx, id, steps)
		if err != nil || !waited {
			return err
		}
		return nextStep(ctx, tx, i, "")
	})
}

// StopImport stops a running import. What was imported stays.
func (a *Transfer) StopImport(ctx context.Context, actor domain.Actor, id domain.ImportID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Imports().Import(ctx, actor.UserID, id); err != nil {
			return err
		}
		return a.endImport(ctx, tx, id, domain.ImportStopped, "")
	})
}

// endImport ends an import, and deletes its token and its file.
func (a *Transfer) endImport(ctx context.Context, tx *store.Tx, id domain.ImportID, state domain.ImportState, reason string) error {
	now := a.Now()
	upload, ended, err := tx.Imports().EndImport(ctx, id, state, core.NonEmpty(&reason), now)
	if err != nil || !ended || upload == 0 {
		return err
	}
	return tx.Blobs().DropUpload(ctx, upload, now)
}

// SweepImports is the job that deletes old finished imports, and ends those that wait too long for a choice.
type SweepImports struct{}

// Kind implements jobs.Args.
func (SweepImports) Kind() string { return "sweep_imports" }

// choosingFor is how long an import, which stores a token, waits for its owner's choice.
const choosingFor = core.Day

// SweepImports deletes old imports and ends waiting ones. It may stop at any point and run again.
func (a *Transfer) SweepImports(ctx context.Context) error {
	now := a.Now()
	stale, err := a.Store.Imports().StaleImports(ctx, now.Add(-choosingFor), core.SweepBatch)
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
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) {
		return tx.Imports().SweepImports(ctx, now.Add(-ImportsKept), core.SweepBatch)
	})
}

// SweepInterval is the interval of SweepImports.
const SweepInterval = content.SweepInterval

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"vitrine/client"
	"vitrine/internal/syncing"
)

type syncCmd struct {
	Dir        string        `arg:"" type:"path" help:"Directory of Markdown and files. It is created if it does not exist."`
	Server     string        `placeholder:"URL" env:"VITRINE_SERVER" default:"http://127.0.0.1:8080" help:"Address of the server."`
	TokenFile  string        `name:"token-file" placeholder:"FILE" help:"File with a token of that server. Without one, VITRINE_TOKEN has the token."`
	Channel    string        `placeholder:"ID" help:"ID or slug of the channel. Without one, the directory gets a folder for each of your channels. Later runs remember it."`
	Once       bool          `xor:"mode" help:"Bring both sides in step and exit. Without it, the command goes on until it is interrupted."`
	Watch      bool          `xor:"mode" help:"Follow both sides. This is the default."`
	DryRun     bool          `name:"dry-run" help:"Only print what would change, and exit."`
	Pull       bool          `xor:"direction" help:"Only change the directory."`
	Push       bool          `xor:"direction" help:"Only change the server."`
	Confirm    bool          `name:"confirm-deletions" help:"Delete even if more than a fifth of all items are missing on one side, and delete channels whose folders are missing."`
	Moved      bool          `name:"server-moved" help:"Accept that the server has another address than in earlier runs. Only use it if it is the same server."`
	Visibility string        `enum:"private,closed,public" default:"private" help:"Visibility of the channels that are created for new folders: ${enum}."`
	MaxFile    int64         `name:"max-file" placeholder:"MIB" default:"2048" help:"Size of the largest file that is downloaded."`
	Every      time.Duration `placeholder:"DURATION" default:"3s" help:"How often to look for changes in the directory."`
	Settle     time.Duration `placeholder:"DURATION" default:"2s" help:"How long a file must be unchanged before it is read, as programs write files in parts."`
}

// Run keeps a directory in step with a server.
func (cmd *syncCmd) Run(c *console) error {
	token, err := tokenOf(cmd.TokenFile)
	if err != nil {
		return err
	}
	if err := cmd.check(); err != nil {
		return usageError{err}
	}
	host, _ := os.Hostname()
	s, err := syncing.Open(c.Ctx, syncing.Options{
		Server: cmd.Server, Token: token, Dir: filepath.Clean(cmd.Dir), Channel: cmd.Channel,
		Pull: !cmd.Push, Push: !cmd.Pull, DryRun: cmd.DryRun, Confirm: cmd.Confirm, Moved: cmd.Moved,
		Visibility: client.ChannelVisibility(cmd.Visibility), MaxFile: cmd.MaxFile << 20, Settle: cmd.Settle, Every: cmd.Every,
		Host: cmp.Or(host, "local"), HTTP: &http.Client{}, Now: time.Now,
		Report: func(text string) { fmt.Fprintln(c.Out, text) },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	if cmd.Once || cmd.DryRun {
		err = s.Once(c.Ctx)
	} else {
		err = s.Watch(c.Ctx)
	}
	if errors.Is(err, syncing.ErrPartly) {
		return errPartly
	}
	return err
}

func (cmd *syncCmd) check() error {
	if _, err := client.New(cmd.Server); err != nil {
		return errors.New("--server: must be an http or https URL without a query")
	}
	if cmd.MaxFile < 1 || cmd.MaxFile > 1<<20 {
		return errors.New("--max-file: must be from 1 to 1048576")
	}
	if cmd.Every < time.Second || cmd.Every > time.Hour {
		return errors.New("--every: must be from 1s to 1h")
	}
	if cmd.Settle < 0 || cmd.Settle > time.Minute {
		return errors.New("--settle: must be from 0s to 1m")
	}
	return nil
}

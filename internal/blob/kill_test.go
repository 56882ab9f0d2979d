package blob_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/blob"
)

// Environment variables that turn this test program into one that is killed while it writes.
const (
	victimEnv = "VITRINE_TEST_VICTIM" // the operation
	folderEnv = "VITRINE_TEST_FOLDER" // the folder or prefix
)

// victim starts to write, prints a line, and never ends.
func victim(what, where string) error {
	endless := readerFunc(func([]byte) (int, error) {
		_, _ = os.Stdout.WriteString("begun\n")
		select {}
	})
	reader := io.MultiReader(bytes.NewReader(patterned(partsLength)), endless)
	ctx := context.Background()
	switch what {
	case "disk":
		disk, err := blob.OpenDisk(where)
		if err != nil {
			return err
		}
		return disk.Put(ctx, "a/b", reader, 2*partsLength, "")
	case "staging":
		staging, err := blob.OpenStaging(where)
		if err != nil {
			return err
		}
		_, err = staging.Receive(ctx, reader, 2*partsLength)
		return err
	default:
		o, err := blob.ParseURL(os.Getenv(s3Env))
		if err != nil {
			return err
		}
		o.AccessKey, o.SecretKey, o.Prefix = os.Getenv(accessEnv), os.Getenv(secretEnv), where
		store, err := blob.OpenS3(o)
		if err != nil {
			return err
		}
		return store.Put(ctx, "a/b", reader, 2*partsLength, "")
	}
}

func TestMain(m *testing.M) {
	if what := os.Getenv(victimEnv); what != "" {
		panic(victim(what, os.Getenv(folderEnv)))
	}
	m.Run()
}

// killed starts a victim and kills it while it writes.
func killed(t *testing.T, what, where string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), victimEnv+"="+what, folderEnv+"="+where)
	command.Stderr = t.Output()
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || line != "begun\n" {
		t.Errorf("the victim said %q, %v", line, err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the victim has ended with %v", err)
	}
}

// A killed process leaves only unfinished files, which Sweep removes.
func TestKilledWhilePutting(t *testing.T) {
	t.Parallel()
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "media")
		disk := openDisk(t, dir)
		put(t, disk, "a/b", "as it was")
		killed(t, "disk", dir)
		swept(t, disk, func() []string { return files(t, dir) })
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		o := s3Options(t)
		store := openS3(t, o)
		put(t, store, "a/b", "as it was")
		killed(t, "s3", o.Prefix)
		swept(t, store, func() []string { return objects(t, o) })
	})
}

func swept(t *testing.T, s blob.Store, contents func() []string) {
	t.Helper()
	want(t, s, "a/b", "as it was")
	if got := strings.Join(contents(), ", "); !strings.Contains(got, "unfinished") {
		t.Errorf("nothing is left to sweep: there is %q", got)
	}
	if err := s.Sweep(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(contents(), ", "); got != "a/b" {
		t.Errorf("there is %q", got)
	}
}

func TestKilledWhileReceiving(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killed(t, "staging", dir)
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("there is %q", got)
	}
	if err := openStaging(t, dir).Sweep(0); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); got != nil {
		t.Errorf("there is %q", got)
	}
}

// Command site writes a channel as a static website, one page with its pictures.
//
//	go run ./examples/site -base https://vitrine.example -channel field-notes -out public
package main

import (
	"context"
	"flag"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"vitrine/client"
)

// The texts of blocks are HTML that the server has sanitised, so the template inserts them as they are.
var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.Channel.Title}}</title>
<h1>{{.Channel.Title}}</h1>
{{range .Blocks}}<article>
{{with .Title}}<h2>{{.}}</h2>{{end}}
{{with .Picture}}<img src="{{.}}" alt="">{{end}}
{{.Text}}
{{with .Source}}<p><a href="{{.}}">{{.}}</a></p>{{end}}
</article>
{{end}}`))

type block struct {
	Title, Picture, Source string
	Text                   template.HTML
}

func main() {
	base := flag.String("base", "http://127.0.0.1:8080", "address of the server")
	channel := flag.String("channel", "", "slug or id of the channel")
	out := flag.String("out", "public", "folder to write")
	flag.Parse()
	if err := run(context.Background(), *base, client.Ref(*channel), *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, base string, ref client.Ref, out string) error {
	c, err := client.New(base, client.WithToken(os.Getenv("TOKEN")))
	if err != nil {
		return err
	}
	channel, err := c.GetChannel(ctx, ref)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var blocks []block
	for item, err := range c.AllChannelContents(ctx, ref, &client.GetChannelContentsParams{Per: 100}) {
		if err != nil {
			return err
		}
		if item.Block == nil {
			continue // a channel in the channel
		}
		b, err := convert(ctx, item.Block, out)
		if err != nil {
			return err
		}
		blocks = append(blocks, b)
	}
	file, err := os.Create(filepath.Join(out, "index.html"))
	if err != nil {
		return err
	}
	if err := page.Execute(file, map[string]any{"Channel": channel, "Blocks": blocks}); err != nil {
		return err
	}
	return file.Close()
}

func convert(ctx context.Context, from *client.Block, out string) (b block, err error) {
	if from.Title != nil {
		b.Title = *from.Title
	}
	if from.Content != nil {
		b.Text = template.HTML(from.Content.HTML)
	}
	if from.Source != nil {
		b.Source = from.Source.URL
	}
	if from.Image != nil {
		b.Picture = fmt.Sprintf("%d.image", from.ID)
		err = download(ctx, from.Image.Large.Src, filepath.Join(out, b.Picture))
	}
	return b, err
}

func download(ctx context.Context, address, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, res.Status)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, res.Body); err != nil {
		return err
	}
	return file.Close()
}

// Command mirror copies the texts and links of a channel to a channel of yours, also on another server. Later runs copy
// only new blocks: the metadata of each copy contains the id of its original.
//
//	TOKEN=… go run ./examples/mirror -from https://api.are.na -channel arena-influences -to https://vitrine.example -into 42
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"vitrine/client"
)

func main() {
	from := flag.String("from", "http://127.0.0.1:8080", "address of the server to read")
	channel := flag.String("channel", "", "slug or id of the channel to read")
	to := flag.String("to", "http://127.0.0.1:8080", "address of the server to write")
	into := flag.String("into", "", "slug or id of the channel to write")
	flag.Parse()
	copied, err := run(context.Background(), *from, client.Ref(*channel), *to, client.Ref(*into))
	fmt.Printf("copied %d blocks\n", copied)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mirror:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, from string, channel client.Ref, to string, into client.Ref) (copied int, err error) {
	source, err := client.New(from, client.WithToken(os.Getenv("FROM_TOKEN")))
	if err != nil {
		return 0, err
	}
	target, err := client.New(to, client.WithToken(os.Getenv("TOKEN")))
	if err != nil {
		return 0, err
	}
	done := map[string]bool{}
	for item, err := range target.AllChannelContents(ctx, into, &client.GetChannelContentsParams{Per: 100}) {
		if err != nil {
			return 0, err
		}
		if item.Block != nil {
			done[fmt.Sprint(item.Block.Metadata["mirror_of"])] = true
		}
	}
	for item, err := range source.AllChannelContents(ctx, channel, &client.GetChannelContentsParams{Per: 100, Sort: client.ChannelContentSortPositionAsc}) {
		if err != nil {
			return copied, err
		}
		value := valueOf(item.Block)
		if value == "" || done[fmt.Sprint(item.Block.ID)] {
			continue
		}
		_, err := target.CreateBlock(ctx, &client.CreateBlockRequest{Value: value, Title: item.Block.Title, ChannelIDs: []client.Ref{into},
			Metadata: map[string]any{"mirror_of": fmt.Sprint(item.Block.ID)}})
		if err != nil {
			return copied, err
		}
		copied++
	}
	return copied, nil
}

// valueOf returns what to create a block from: a text or an address.
func valueOf(b *client.Block) string {
	switch {
	case b == nil:
		return ""
	case b.Type == "Text" && b.Content != nil:
		return b.Content.Markdown
	case b.Source != nil:
		return b.Source.URL
	}
	return ""
}

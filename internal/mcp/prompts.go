package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vitrine/internal/domain"
)

// maxArgument is the number of characters of an argument of a prompt.
const maxArgument = 1_000

// prompts lists the prompts. Each has one argument, which takes the place of %q.
var prompts = []struct{ name, title, description, argument, about, text string }{
	{"summarize_channel", "Summarize a channel", "Reads a whole channel and says what it is about.", "channel", "slug or id of the channel",
		"Read the channel %q with read_channel and all pages of list_contents. Read the long texts that matter with read_block. " +
			"Then describe its subject, its themes, its disagreements and its gaps in a few paragraphs. Link the blocks that you mention."},
	{"find_company", "Find company for a block", "Finds channels and blocks that belong together with a block.", "block_id", "id of the block",
		"Read the block %q with read_block. Search for blocks and channels about the same subject, with several queries. " +
			"Propose up to five channels of mine to connect it to, and say why in a sentence each. Connect nothing until I agree."},
	{"collect", "Collect about a topic", "Gathers what there is about a topic and proposes a channel.", "topic", "what to collect",
		"Search for %q with several queries, also in synonyms and other languages. Propose a title, a description and an order for a channel, " +
			"and list the blocks that belong in it. When I agree, create the channel, connect the blocks and move them into this order."},
}

func addPrompts(server *sdk.Server) {
	for _, p := range prompts {
		server.AddPrompt(&sdk.Prompt{Name: p.name, Title: p.title, Description: p.description,
			Arguments: []*sdk.PromptArgument{{Name: p.argument, Description: p.about, Required: true}}},
			func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				given := r.Params.Arguments[p.argument]
				var f domain.Faults
				if f.RequiredText(p.argument, given, maxArgument); f != nil {
					return nil, f.Err()
				}
				return &sdk.GetPromptResult{Description: p.description, Messages: []*sdk.PromptMessage{
					{Role: "user", Content: &sdk.TextContent{Text: fmt.Sprintf(p.text, given)}}}}, nil
			})
	}
}

package claude

import (
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// page recognises a challenge that comes in place of an answer. No page has an answer.
var page = chatpage.New(chatpage.Layout{})

// Read reads the responses of the API, streamed or whole. The error is an *upstream.Failure.
func Read(document []byte, want answer.Options) (*earshot.Answer, error) {
	if rawdoc.IsPage(rawdoc.Trimmed(document)) {
		return page.Read(document, want)
	}
	found := &earshot.Answer{}
	err := read(document, func(c *conversation) error {
		if err := c.check(); err != nil {
			return err
		}
		return c.fill(found, want)
	})
	return answer.NotEmpty(found, err)
}

// check returns an error if the conversation does not end with a complete answer.
func (c *conversation) check() error {
	switch {
	case c.problem != nil:
		return vendorapi.RefusalObject(0, nil, c.problem)
	case len(c.messages) == 0:
		return upstream.Fail(earshot.ReasonUnreadable, "the document has no message of the API")
	}
	switch stop := c.last().stop; stop {
	case "end_turn", "stop_sequence":
		return nil
	case "refusal":
		return vendorapi.Blocked("the model refused to answer: %q", c.last().why)
	case "":
		return upstream.Fail(earshot.ReasonUnavailable, "the answer is cut off")
	default: // pause_turn after the last continuation, max_tokens, and others
		return upstream.Fail(earshot.ReasonUnavailable, "the answer is incomplete: %q", stop)
	}
}

// fill reads the text with its citations, the queries and the model. Pages that a search found and
// the text does not cite are no sources.
func (c *conversation) fill(a *earshot.Answer, want answer.Options) error {
	var blocks []answer.Block
	worked, failed, searched := 0, "", false
	for _, block := range c.blocks() {
		switch block.Text("type") {
		case "text":
			// Only citations split a text into blocks, so nothing separates them. After a search the
			// model begins a new paragraph.
			text := loosejson.AsText(block["text"])
			if searched && len(blocks) > 0 {
				text = "\n\n" + text
			}
			searched = false
			blocks = append(blocks, answer.Block{Text: text, Citations: citations(block)})
		case "server_tool_use":
			searched = true
			a.SearchQueries = answer.AddQueries(a.SearchQueries, block.Object("input").Text("query"))
		case "web_search_tool_result":
			searched = true
			if code := block.Object("content").Text("error_code"); code != "" {
				failed = code
			} else {
				worked++
			}
		}
	}
	if failed != "" && worked == 0 {
		return upstream.Fail(earshot.ReasonUnavailable, "no web search worked: %s", failed)
	}
	a.Model = answer.ModelName(c.messages[0].model)
	var sources answer.Sources
	sources.Write(blocks).Fill(a, want.Markdown)
	sources.Fill(a)
	return nil
}

// maxCitations limits the citations of one block; real blocks have up to ten.
const maxCitations = 100

// citations returns the pages that a block cites.
func citations(block loosejson.Object) []answer.Citation {
	var list []answer.Citation
	cited := block.Objects("citations")
	for _, c := range cited[:min(len(cited), maxCitations)] {
		if link, ok := c.Destination(nil, "url"); ok {
			title := c.Text("title")
			list = append(list, answer.Citation{Source: earshot.Source{URL: link, Label: title, Description: c.Text("cited_text")}, Label: title})
		}
	}
	return list
}

// encrypted matches the fields that only the API can read, with the comma before or after them. They
// make up most of a response.
var encrypted = regexp.MustCompile(`,\s*` + encryptedField + `|` + encryptedField + `\s*,?`)

const encryptedField = `"encrypted_(?:content|index)"\s*:\s*"(?:[^"\\]|\\.)*"`

// trim removes the encrypted fields from a document.
func trim(document []byte) []byte {
	if !strings.Contains(string(document), "encrypted_") {
		return document
	}
	return encrypted.ReplaceAll(document, nil)
}

package chatassistant_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/providertest"
)

// answerPage is a page with %s in place of the answer's text.
const answerPage = `<!DOCTYPE html><html><body><section data-turn="assistant">` +
	`<div data-message-author-role="assistant" data-message-model-slug="m"><div class="markdown">%s</div></div></section></body></html>`

func parse(document []byte) (any, error) {
	return chatassistant.Read(document, answer.Options{Country: "DE", Markdown: true})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
	providertest.Unanswered(t, parse, "mobile.html", "legacy.sse", "shared.html", "saved.html")
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, answerPage, parse)
}

// TestSourcesInOrder checks that linked and cited pages are numbered in the order of the text, in
// both forms.
func TestSourcesInOrder(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"page": fmt.Sprintf(answerPage, `See <a href="https://a.example/">A</a>. <span data-testid="webpage-citation-pill">`+
			`<a href="https://b.example/">B</a></span> And <a href="https://c.example/">C</a>.`),
		"stream": `data: {"message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":` +
			`["See [A](https://a.example/). @1 And [C](https://c.example/)."]},"metadata":{"content_references":` +
			`[{"type":"webpage","matched_text":"@1","url":"https://b.example/","attribution":"B"}]}}}` + "\n\ndata: [DONE]\n\n",
	} {
		a := providertest.Yields(t, parse, []byte(document))
		var got []string
		for _, source := range a.Sources {
			got = append(got, source.Domain)
		}
		if want := []string{"a.example", "b.example", "c.example"}; !slices.Equal(got, want) {
			t.Errorf("%s: sources %q, want %q", name, got, want)
		}
		if len(a.CitationPills) != 1 || a.CitationPills[0].Position != 2 {
			t.Errorf("%s: pills %+v", name, a.CitationPills)
		}
	}
}

// TestCrafted reads documents that would take very long, or all memory, without limits.
func TestCrafted(t *testing.T) {
	t.Parallel()
	const text = `{"current_node":"a","mapping":{"a":{"message":{"author":{"role":"assistant"},` +
		`"content":{"content_type":"text","parts":["Said. %s"]},"metadata":{}}}}}`
	patches := func(patch string) string {
		return `data: {"v":{"message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["Said."]},` +
			`"metadata":{"list":[` + strings.Repeat("0,", 300_000) + `0],"text":"` + strings.Repeat("x", 600_000) + `"}}}}` + "\n\n" +
			`data: {"p":"","o":"patch","v":[` + strings.Repeat(patch+",", 20_000) + patch + "]}\n\ndata: [DONE]\n\n"
	}
	for name, document := range map[string]string{
		"removing":  patches(`{"p":"/message/metadata/list/0","o":"remove"}`),
		"inserting": patches(`{"p":"/message/metadata/list/0","o":"add","v":1}`),
		"cutting":   patches(fmt.Sprintf(`{"p":"/message/metadata/text","o":"truncate","v":%d}`, 600_000-1)),
		"marks":     fmt.Sprintf(text, strings.Repeat("\ue200", 50_000)),
		"names":     fmt.Sprintf(text, strings.Repeat("navlist cite 【1† [", 5_000)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := providertest.Yields(t, parse, []byte(document))
			if !strings.HasPrefix(a.Text, "Said.") {
				t.Errorf("text begins with %.20q", a.Text)
			}
		})
	}
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, answerPage, parse) }

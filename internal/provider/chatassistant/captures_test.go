package chatassistant_test

import (
	"bytes"
	"encoding/json"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/test/captures"
)

// pages returns the stored documents of the real site.
func pages(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"web_pages/*chatgpt*.html", "web_chatassistant_stream/*.json", "web_chatassistant_json/*.json"} {
		paths = append(paths, captures.Find(t, pattern)...)
	}
	return paths
}

// TestCaptures reads documents of the real site. They are not our fixtures, so the test checks what
// must hold for all of them, and the citations and queries that a second, simpler look at the raw
// document finds.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range pages(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document := providertest.Exchanges(t, path)[0].Body
			result, err := parse(document)
			if err != nil {
				// A turn that only generates an image has no text.
				if bytes.Contains(document, []byte("image-gen")) && providertest.Reason(t, err) == string(earshot.ReasonEmpty) {
					return
				}
				t.Fatal(err)
			}
			providertest.Check(t, result)
			a := providertest.Answer(t, result)
			if a.Model == nil || len(a.Text) < 20 || a.Markdown == "" {
				t.Errorf("model %v, text %q", a.Model, a.Text)
			}
			if left := debris.FindString(a.Text + a.Markdown); left != "" {
				t.Errorf("the remains %q of a mark are in the text", left)
			}
			switch {
			case bytes.HasPrefix(document, []byte("<")):
				checkPage(t, string(document), a)
			case bytes.HasPrefix(document, []byte("{")):
				checkConversation(t, document, a)
			default:
				checkStream(t, string(document), a)
			}
		})
	}
}

// debris matches the remains of a mark.
var debris = regexp.MustCompile(`\p{Co}|cite\s*turn\d|turn\d+(?:search|news|view|image)\d|【\d+[^】]*†|contentReference\[|oaicite`)

var (
	askedMark = regexp.MustCompile(`data-turn="user"|data-message-author-role="user"`)
	pillLink  = regexp.MustCompile(`(?s)data-testid="webpage-citation-pill".*?href="([^"]*)"`)
)

// checkPage checks the pills after the last question.
func checkPage(t *testing.T, page string, a *earshot.Answer) {
	t.Helper()
	if asked := askedMark.FindAllStringIndex(page, -1); asked != nil {
		page = page[asked[len(asked)-1][1]:]
	}
	var want []string
	for _, link := range pillLink.FindAllStringSubmatch(page, -1) {
		want = append(want, untracked(html.UnescapeString(link[1])))
	}
	if got := pillLinks(a); !slices.Equal(got, want) {
		t.Errorf("pills lead to %q, want %q", got, want)
	}
}

// rawMessage has the fields that checkConversation needs.
type rawMessage struct {
	Author    struct{ Role string }
	Recipient string
	Content   struct {
		Text  string
		Parts []any
	}
	Metadata struct {
		Hidden     bool `json:"is_visually_hidden_from_conversation"`
		References []struct {
			Type, URL      string
			Items, Sources []struct{ URL string }
		} `json:"content_references"`
	}
}

var (
	textLink   = regexp.MustCompile(`[^!]\[[^\]]*\]\((https?://[^\s)]+)\)`)
	askedInURL = regexp.MustCompile(`search\("(.*)"\)`)
)

// checkConversation checks the references and links of the last turn's messages, and its search
// queries.
func checkConversation(t *testing.T, document []byte, a *earshot.Answer) {
	t.Helper()
	var pills, sources, queries []string
	for _, m := range lastTurn(t, document) {
		for _, r := range m.Metadata.References {
			if r.Type == "webpage" {
				pills = append(pills, untracked(r.URL))
				sources = append(sources, untracked(r.URL))
			}
			for _, page := range slices.Concat(r.Items, r.Sources) {
				sources = append(sources, untracked(page.URL))
			}
		}
		if call := askedInURL.FindStringSubmatch(m.Content.Text); call != nil {
			queries = append(queries, call[1])
		}
		if text, ok := firstPart(m).(string); ok && m.Author.Role == "assistant" && m.Recipient == "all" {
			for _, link := range textLink.FindAllStringSubmatch(text, -1) {
				sources = append(sources, untracked(link[1]))
			}
		}
	}
	var got []string
	for _, source := range a.Sources {
		got = append(got, source.URL)
	}
	slices.Sort(sources)
	slices.Sort(got)
	if want := slices.Compact(sources); !slices.Equal(got, want) {
		t.Errorf("sources %q, want %q", got, want)
	}
	if got := pillLinks(a); !slices.Equal(got, pills) {
		t.Errorf("pills lead to %q, want %q", got, pills)
	}
	if !slices.Equal([]string(a.SearchQueries), queries) {
		t.Errorf("queries %q, want %q", a.SearchQueries, queries)
	}
}

func firstPart(m rawMessage) any {
	if len(m.Content.Parts) == 0 {
		return nil
	}
	return m.Content.Parts[0]
}

// lastTurn returns the messages after the last message of the user.
func lastTurn(t *testing.T, document []byte) []rawMessage {
	t.Helper()
	var conversation struct {
		Mapping map[string]struct {
			Parent  string
			Message *rawMessage
		}
		Current string `json:"current_node"`
	}
	if err := json.Unmarshal(document, &conversation); err != nil {
		t.Fatal(err)
	}
	var turn []rawMessage
	for id := conversation.Current; id != ""; id = conversation.Mapping[id].Parent {
		m := conversation.Mapping[id].Message
		if m == nil {
			continue
		}
		if m.Author.Role == "user" && !m.Metadata.Hidden {
			break
		}
		turn = append(turn, *m)
	}
	slices.Reverse(turn)
	return turn
}

var appendedText = regexp.MustCompile(`(?m)"v": ("(?:[^"\\]|\\.)*")[,}\]]`)

// checkStream checks that the answer has all text that the stream appended, in order.
func checkStream(t *testing.T, stream string, a *earshot.Answer) {
	t.Helper()
	at := 0
	for _, found := range appendedText.FindAllStringSubmatch(stream, -1) {
		var text string
		if err := json.Unmarshal([]byte(found[1]), &text); err != nil {
			t.Fatal(err)
		}
		if text = strings.TrimSpace(text); text == "finished_successfully" {
			continue
		}
		i := strings.Index(a.Text[at:], text)
		if i < 0 {
			t.Errorf("%q is missing from %q", text, a.Text)
			continue
		}
		at += i + len(text)
	}
}

func pillLinks(a *earshot.Answer) []string {
	var links []string
	for _, pill := range a.CitationPills {
		links = append(links, pill.URL)
	}
	return links
}

// untracked returns the link without the assistant's tracking parameter.
func untracked(link string) string {
	link, _, _ = strings.Cut(link, "?utm_source=chatgpt.com")
	return strings.Replace(link, "&utm_source=chatgpt.com", "", 1)
}

func TestFidelity(t *testing.T) {
	t.Parallel()
	providertest.Fidelity(t, parse, map[string]string{"edges_chatgpt_003.html 0": "an image without a word"}, "web_pages/*chatgpt*", "web_chatassistant_*/*", "api_chatassistant/*")
}

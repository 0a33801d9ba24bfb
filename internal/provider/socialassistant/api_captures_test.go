package socialassistant_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"

	"earshot/internal/provider/providertest"
)

// outputs is an answer of the API over its own protocol, or a chunk of one.
type outputs struct {
	Model     string   `yaml:"model"`
	Citations []string `yaml:"citations"`
	Outputs   []struct {
		Message message `yaml:"message"`
		Delta   message `yaml:"delta"`
	} `yaml:"outputs"`
}

type message struct {
	Role    string `yaml:"role"`
	Content string `yaml:"content"`
	Calls   []struct {
		Function struct {
			Name      string `yaml:"name"`
			Arguments string `yaml:"arguments"`
		} `yaml:"function"`
	} `yaml:"tool_calls"`
	Citations []map[string]struct {
		URL string `yaml:"url"`
	} `yaml:"citations"`
}

// seen is what an answer comes to, without its sources' labels.
type seen struct {
	Model                          string
	Letters                        string // of the text, which no Markdown changes
	Queries, Sources, Posts, Pills []string
}

// TestCapturedOutputs reads recorded answers. What must be found in each, and that
// there is nothing else, is taken from the recording in another way.
func TestCapturedOutputs(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Captures(t, "api_socialassistant/*.xai.yaml") {
		document := providertest.Stored(t, path)
		want := recordedOutputs(t, document)
		bodies := providertest.Recorded(document)
		if len(bodies) != len(want) {
			t.Fatalf("%s: %d answers, want %d", path, len(bodies), len(want))
		}
		for i, body := range bodies {
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				if got := seenIn(t, body); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("read\n%+v, recorded\n%+v", got, want[i])
				}
			})
		}
	}
}

func seenIn(t *testing.T, body []byte) seen {
	t.Helper()
	result, err := parse(body)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, result)
	a := providertest.Answer(t, result)
	got := seen{Model: *a.Model, Letters: letters(a.Text), Queries: a.SearchQueries}
	for _, source := range a.Sources {
		got.Sources = append(got.Sources, source.URL)
		if source.Post != nil {
			got.Posts = append(got.Posts, source.URL)
		}
	}
	for _, pill := range a.CitationPills {
		got.Pills = append(got.Pills, pill.URL)
	}
	return got
}

// recordedOutputs are the answers of a recording.
func recordedOutputs(t *testing.T, document []byte) []seen {
	t.Helper()
	var recording struct {
		Interactions []struct {
			Sample struct {
				JSON outputs `yaml:"json"`
			} `yaml:"response_sample"`
			Stream struct {
				Chunks []struct {
					Chunk outputs `yaml:"chunk"`
				} `yaml:"chunks_json"`
			} `yaml:"response_stream"`
		} `yaml:"interactions"`
	}
	if err := yaml.Unmarshal(document, &recording); err != nil {
		t.Fatal(err)
	}
	var all []seen
	for _, i := range recording.Interactions {
		pieces := []outputs{i.Sample.JSON}
		for _, chunk := range i.Stream.Chunks {
			pieces = append(pieces, chunk.Chunk)
		}
		all = append(all, expected(pieces))
	}
	return all
}

// marked finds the marks of citations.
var marked = regexp.MustCompile(`\[\[[0-9]+\]\]\(([^)]*)\)`)

// expected is what the pieces of an answer come to. It holds for texts
// whose links are marks, no page twice in one chip.
func expected(pieces []outputs) seen {
	var want seen
	var text string
	var queries, top, found []string
	for _, piece := range pieces {
		want.Model = cmp.Or(want.Model, piece.Model)
		top = append(top, piece.Citations...)
		for _, o := range piece.Outputs {
			for _, m := range []message{o.Message, o.Delta} {
				if m.Role == "ROLE_ASSISTANT" {
					text += m.Content
				}
				for _, call := range m.Calls {
					var arguments struct{ Query string }
					if json.Unmarshal([]byte(call.Function.Arguments), &arguments) == nil && strings.Contains(call.Function.Name, "search") {
						queries = append(queries, arguments.Query)
					}
				}
				for _, citation := range m.Citations {
					found = append(found, citation["web_citation"].URL, citation["x_citation"].URL)
				}
			}
		}
	}
	for _, mark := range marked.FindAllStringSubmatch(text, -1) {
		want.Pills = append(want.Pills, mark[1])
	}
	want.Letters = letters(marked.ReplaceAllString(text, ""))
	want.Queries = once(queries)
	want.Sources = once(slices.Concat(want.Pills, top, found))
	for _, link := range want.Sources {
		if strings.HasPrefix(link, "https://x.com/") && strings.Contains(link, "/status/") {
			want.Posts = append(want.Posts, link)
		}
	}
	return want
}

// once are the texts that are not empty, each once.
func once(texts []string) []string {
	var list []string
	for _, text := range texts {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// letters are those of a text, and its digits.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

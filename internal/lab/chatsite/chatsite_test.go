package chatsite

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"earshot/internal/lab/world"
)

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)> '</textarea>{{.}}`

func compose(prompt string) *world.Answer {
	return world.Compose(world.Question{Prompt: prompt, Country: "US", Language: "en", Search: true})
}

// TestPageEscapesThePrompt looks for elements and attributes that only the
// prompt can have brought.
func TestPageEscapesThePrompt(t *testing.T) {
	t.Parallel()
	page, err := Page(hostile, compose(hostile))
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data == "script" {
			t.Error("the prompt's script is in the page")
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("the prompt's %s is in the page", a.Key)
			}
		}
	}
	if !bytes.Contains(page, []byte("&lt;script&gt;")) {
		t.Error("the prompt is not in the page")
	}
}

// TestStreamIsDeltaEncoded wants every event but the last to be one line of
// JSON, whatever the prompt.
func TestStreamIsDeltaEncoded(t *testing.T) {
	t.Parallel()
	prompt := hostile + "\n\ndata: [DONE]\n\n"
	events, err := Stream(prompt, compose(prompt))
	if err != nil {
		t.Fatal(err)
	}
	if string(events[0]) != "event: delta_encoding\ndata: \"v1\"\n\n" || string(events[len(events)-1]) != "data: [DONE]\n\n" {
		t.Errorf("begins with %q and ends with %q", events[0], events[len(events)-1])
	}
	for _, event := range events[:len(events)-1] {
		_, data, _ := strings.Cut(string(event), "data: ")
		if strings.Count(data, "\n") != 2 || !json.Valid([]byte(data)) {
			t.Errorf("event %q", event)
		}
	}
}

func TestDocumentsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	for range 3 {
		first, err1 := Page("x", compose("x"))
		second, err2 := Page("x", compose("x"))
		if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Error("two pages for one question")
		}
		one, err1 := Stream("x", compose("x"))
		two, err2 := Stream("x", compose("x"))
		if err1 != nil || err2 != nil || !bytes.Equal(bytes.Join(one, nil), bytes.Join(two, nil)) {
			t.Error("two streams for one question")
		}
	}
}

func BenchmarkPage(b *testing.B) {
	for b.Loop() {
		if _, err := Page("x", compose("x")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	for b.Loop() {
		if _, err := Stream("x", compose("x")); err != nil {
			b.Fatal(err)
		}
	}
}

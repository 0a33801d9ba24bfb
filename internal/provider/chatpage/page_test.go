package chatpage_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatassistant"
	chatsite "earshot/internal/provider/chatassistant/labsite"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/genassistant"
	gensite "earshot/internal/provider/genassistant/labsite"
	"earshot/internal/provider/officeassistant"
	officesite "earshot/internal/provider/officeassistant/labsite"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream/lab/world"
)

// TestPagesAgree writes the same answer on each of the lab's sites. Every part of it must be read
// the same, whatever the markup is.
func TestPagesAgree(t *testing.T) {
	t.Parallel()
	for _, q := range []world.Question{
		{Prompt: "office chair", Country: "US", Language: "en", Search: true},
		{Prompt: "Wasserkocher", Country: "DE", Language: "de", Search: true},
		{Prompt: "やかん", Country: "JP", Language: "ja", Search: true},
		{Prompt: "tentes", Country: "FR", Language: "fr"},
	} {
		told := world.Compose(q)
		want, err := chatassistant.Read(written(t, chatsite.Page, q.Prompt, told), answer.Options{Country: q.Country, Markdown: true})
		if err != nil {
			t.Fatal(err)
		}
		for name, read := range map[string]struct {
			by   func([]byte, answer.Options) (*earshot.Answer, error)
			page []byte
		}{
			"gen":    {genassistant.New().Read, written(t, gensite.Page, q.Prompt, told)},
			"office": {officeassistant.New().Read, written(t, officesite.Page, q.Prompt, told)},
		} {
			got, err := read.by(read.page, answer.Options{Country: q.Country, Markdown: true})
			if err != nil {
				t.Errorf("%s in %s: %v", name, q.Country, err)
				continue
			}
			providertest.Check(t, got)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s in %s (-chat +%s):\n%s", name, q.Country, name, diff)
			}
		}
	}
}

func written(t *testing.T, write func(string, *world.Answer) ([]byte, error), prompt string, told *world.Answer) []byte {
	t.Helper()
	page, err := write(prompt, told)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// small is a layout with every kind of mark.
var small = chatpage.New(chatpage.Layout{
	User: "user-turn", Asked: "asked-turn", Turn: ".reply", Message: "[data-role=message]", Body: ".text",
	Aside: "think-box", Ignored: "[data-noise]", Widget: "[data-part$=-widget]", ModelName: "data-model",
	Chip: "cite-chip", Note: "cite-note", NoteNumber: "data-number", Sources: "source-list",
	Model: "model-name", Queries: "query-list", Related: "next-question", Image: "answer-picture",
	Formula: "data-tex", Field: "data-part", Own: []string{"self"},
})

// said returns a page with an answer.
func said(inner string) string {
	return `<user-turn>q</user-turn><div class="reply"><p data-role="message">` + inner + `</p></div>`
}

func TestPageText(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ page, want string }{
		"last turn":         {said("old") + said("new"), "new"},
		"several turns":     {said("old") + "<asked-turn>q</asked-turn>" + said("a") + said("") + said("b"), "a\n\nb"},
		"several bodies":    {`<div class="reply"><div data-role="message">bar<div class="text">a</div><div class="text">b</div></div></div>`, "a\n\nb"},
		"several messages":  {`<div class="reply"><div data-role="message">a</div><hr><div data-role="message">b</div></div>`, "a\n\nb"},
		"body of a message": {`<div class="reply"><div data-role="message">bar<div class="text">a</div>foot</div></div>`, "a"},
		"turn is message":   {`<div class="reply" data-role="message">a</div>`, "a"},
		"nested turns":      {`<div class="reply"><div data-role="message">a <b class="reply">b</b></div></div>`, "a b"},
		"thoughts":          {`<div class="reply"><think-box><div data-role="message">hm</div></think-box><div data-role="message">a<think-box>hm</think-box></div></div>`, "a"},
		"noise":             {said(`a<i data-noise="">b</i>c`), "ac"},
		"chips and notes":   {said(`a <cite-note data-number="1">1</cite-note> <cite-chip>Site</cite-chip>, b`), "a, b"},
		"formula":           {said(`a <span data-tex="x^2"><i aria-hidden="true">x2</i></span>`), "a x^2"},
		"cards":             {said(`a <span data-part="place-card"><i data-part="place-name">Inn</i></span>b`), "a b"},
		"widget":            {said(`a <span data-part="map-widget">b <i data-part="place-card"></i></span>c`), "a c"},
		"mark of ours":      {said(`a <earshot-chip>b</earshot-chip>`), "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := small.Read([]byte(test.page), answer.Options{Markdown: true})
			if err != nil {
				t.Fatal(err)
			}
			if a.Text != test.want {
				t.Errorf("text is %q, want %q", a.Text, test.want)
			}
			if a.Markdown == "" {
				t.Error("no Markdown")
			}
		})
	}
}

func TestPageWidget(t *testing.T) {
	t.Parallel()
	page := `<div class="reply"><div data-role="message" data-model="m-2">a<div data-part="other-widget">` +
		`<a href="https://a.example/">no source</a><cite-chip><a href="https://b.example/">B</a></cite-chip>` +
		`<div data-part="place-card"><i data-part="place-name">Inn</i></div></div></div></div>`
	a, err := small.Read([]byte(page), answer.Options{Markdown: true})
	if err != nil {
		t.Fatal(err)
	}
	if a.Text != "a" || a.Markdown != "a" || a.Model == nil || *a.Model != "m-2" {
		t.Errorf("text %q, Markdown %q, model %v", a.Text, a.Markdown, a.Model)
	}
	if len(a.Sources) != 1 || a.Sources[0].URL != "https://b.example/" || len(a.Places) != 1 {
		t.Errorf("sources %+v, places %+v", a.Sources, a.Places)
	}
}

// TestPageNotices checks that notices and hidden elements are not part of the text, but that text in
// a live region is.
func TestPageNotices(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`a <span role="status">Copied</span>`:                            "a",
		`a <span role="alert">Failed</span>`:                             "a",
		`a <span aria-live="polite">Thanks</span>`:                       "a",
		`a <g-dialog>Share <a href="http://b.example/">b</a></g-dialog>`: "a",
		`a <span style="display: none">Thanks</span>`:                    "a",
		`a <span aria-live="off">b</span>`:                               "a b",
		`<span aria-live="polite">a <i>b</i></span>`:                     "a b",
		`<span aria-live="polite">a <b role="status">Copied</b></span>`:  "a",
	} {
		a, err := small.Read([]byte(said(content)), answer.Options{})
		if err != nil || a.Text != want || len(a.Sources) > 0 {
			t.Errorf("%s: %+v, %v, want %q", content, a, err, want)
		}
	}
}

func TestPageFailures(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]earshot.Reason{
		"":  earshot.ReasonUnreadable,
		"x": earshot.ReasonUnreadable,
		`<html><body>nobody speaks</body></html>`:                          earshot.ReasonUnreadable,
		`<form action="/login"></form>`:                                    earshot.ReasonBlocked,
		`<!DOCTYPE html><form action="/login"></form>`:                     earshot.ReasonBlocked,
		`<!DOCTYPE html><html><body>`:                                      earshot.ReasonUnavailable,
		`<!DOCTYPE html><html><body>` + said("a"):                          earshot.ReasonUnavailable,
		`<user-turn>q</user-turn>`:                                         earshot.ReasonEmpty,
		said(""):                                                           earshot.ReasonEmpty,
		said("a") + `<asked-turn>q</asked-turn>`:                           earshot.ReasonEmpty,
		said(" <cite-chip>x</cite-chip> "):                                 earshot.ReasonEmpty,
		`<user-turn>q</user-turn><form action="/login"></form>`:            earshot.ReasonEmpty,
		`<div class="reply"></div><think-box>said to itself</think-box>`:   earshot.ReasonEmpty,
		`<div class="reply"><div>in no message</div></div>`:                earshot.ReasonEmpty,
		`<div class="reply"><source-list><a href="http://a.example">a</a>`: earshot.ReasonEmpty,
	} {
		_, err := small.Read([]byte(page), answer.Options{})
		if err == nil || providertest.Reason(t, err) != string(want) {
			t.Errorf("%s: %v, want %s", page, err, want)
		}
	}
}

func TestPageSources(t *testing.T) {
	t.Parallel()
	const list = `<source-list><ol><li id="one"><a href="http://one.example/"><i data-part="source-site">One</i><i data-part="source-title">First</i></a></li>` +
		`<li><a href="mailto:x@y">no page</a></li><li id="three"><a href="http://three.example/?utm_source=self&amp;x=1">Third</a></li></ol></source-list>`
	for name, test := range map[string]struct {
		text    string
		sources []string // labels
		pills   []string // chip, position and label
		md      string
	}{
		"only listed":           {"a", []string{"First", "Third"}, nil, "a"},
		"by number":             {`a<cite-note><sup data-number="3"></sup></cite-note><cite-chip>x</cite-chip>`, []string{"Third", "First"}, []string{"pill-1 1 Third"}, "a ([Third](http://three.example/?x=1))"},
		"notes of a chip":       {`a<cite-note data-number="1"></cite-note> b<cite-note data-number="3"></cite-note><cite-chip></cite-chip>`, []string{"First", "Third"}, []string{"pill-1 1 One", "pill-1 2 Third"}, "a b ([One](http://one.example/), [Third](http://three.example/?x=1))"},
		"notes without a chip":  {`a<cite-note data-number="1"></cite-note>`, []string{"First", "Third"}, []string{"pill-1 1 One"}, "a ([One](http://one.example/))"},
		"by id":                 {`a<cite-chip><a href="#three">3</a></cite-chip>`, []string{"Third", "First"}, []string{"pill-1 1 Third"}, "a ([Third](http://three.example/?x=1))"},
		"by link":               {`a<cite-chip><a href="http://two.example/"><b>Two</b><b>+1</b></a></cite-chip>`, []string{"Two", "First", "Third"}, []string{"pill-1 1 Two"}, "a ([Two](http://two.example/))"},
		"number of nothing":     {`a<cite-chip data-number="2"></cite-chip><cite-chip data-number="9"></cite-chip>`, []string{"First", "Third"}, nil, "a"},
		"link in the text":      {`a <a href="http://two.example/">b</a>`, []string{"b", "First", "Third"}, nil, "a [b](http://two.example/)"},
		"link to the assistant": {`a <a href="/help">b</a>`, []string{"First", "Third"}, nil, "a b"},
		"twice":                 {`a<cite-chip data-number="1"></cite-chip> <a href="http://one.example/">b</a>`, []string{"First", "Third"}, []string{"pill-1 1 One"}, "a ([One](http://one.example/)) [b](http://one.example/)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := small.Read([]byte(`<base href="http://self.example/">`+said(test.text)[:len(said(test.text))-len("</div>")]+list+`</div>`), answer.Options{Markdown: true})
			if err != nil {
				t.Fatal(err)
			}
			providertest.Check(t, a)
			var sources, pills []string
			for _, source := range a.Sources {
				sources = append(sources, source.Label)
			}
			for _, pill := range a.CitationPills {
				pills = append(pills, fmt.Sprint(pill.CitationPillID, " ", pill.Position, " ", pill.Label))
			}
			if diff := cmp.Diff([]any{test.sources, test.pills, test.md}, []any{sources, pills, a.Markdown}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPageSuggestionsAndModel(t *testing.T) {
	t.Parallel()
	a, err := small.Read([]byte(`<model-name> m 1 </model-name>`+said(`a<answer-picture><img src="http://p.example/1.jpg"></answer-picture>`)+
		`<div class="reply"><think-box><query-list><ul><li>q1</li><li> </li><li>q2</li></ul></query-list></think-box>`+
		`<p data-role="message">a<answer-picture><img src="http://p.example/1.jpg"></answer-picture></p><next-question>n1</next-question><next-question>n2</next-question></div>`), answer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &earshot.Answer{
		Text: "a", SearchQueries: []string{"q1", "q2"}, RelatedQueries: []string{"n1", "n2"}, Images: []string{"http://p.example/1.jpg"},
	}
	model := "m 1"
	want.Model = &model
	if diff := cmp.Diff(want, a, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidMarksPanic(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"a>b", "a[b=c]", "#id", "a.b", "[x"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is accepted as a mark", mark)
				}
			}()
			chatpage.New(chatpage.Layout{Turn: mark})
		}()
	}
}

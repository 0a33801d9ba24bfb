package chatassistant_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream/lab"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// everything returns a request body with all flags set.
func everything(legacy bool) providertest.Body {
	return func(prompt, country string) string {
		return fmt.Sprintf(`{"prompt":%q,"country":%q,"legacy":%t,"include":{"html":true,"markdown":true,`+
			`"rawResponse":true,"searchQueries":true,"ads":true,"shopping":true}}`, prompt, country, legacy)
	}
}

func TestAgainstLab(t *testing.T) {
	t.Parallel()
	for _, legacy := range []bool{false, true} {
		t.Run(fmt.Sprintf("legacy=%t", legacy), func(t *testing.T) {
			t.Parallel()
			providertest.AgainstLab(t, chatassistant.Provider{}, everything(legacy))
		})
	}
}

// ask returns the answer to a request body.
func ask(t *testing.T, l *providertest.Lab, body string) *earshot.Answer {
	t.Helper()
	return l.Answer(t, chatassistant.Provider{}, body)
}

// TestFlags asks with no flag, with all flags, with each flag alone and with all but one, in both
// forms. The answer must have exactly the requested parts.
func TestFlags(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, chatassistant.Provider{})
	flags := []string{"html", "markdown", "rawResponse", "searchQueries", "ads", "shopping"}
	all := 1<<len(flags) - 1
	sets := []int{0, all}
	for i := range flags {
		sets = append(sets, 1<<i, all&^(1<<i))
	}
	for _, set := range sets {
		on := map[string]bool{}
		for i, flag := range flags {
			on[flag] = set&(1<<i) != 0
		}
		include, err := json.Marshal(on)
		if err != nil {
			t.Fatal(err)
		}
		for _, legacy := range []bool{false, true} {
			a := ask(t, l, fmt.Sprintf(`{"prompt":"desk lamp","country":"GB","legacy":%t,"include":%s}`, legacy, include))
			for part, got := range map[string]bool{
				"html": a.HTML != "", "markdown": a.Markdown != "", "rawResponse": a.RawResponse != nil,
				"ads": a.Ads != nil, "shopping": a.ShoppingCards != nil && a.InlineProducts != nil,
			} {
				if got != on[part] {
					t.Errorf("legacy=%t include=%s: %s is there: %t", legacy, include, part, got)
				}
			}
			if got := len(a.SearchQueries) > 0; got != (on["searchQueries"] || legacy) {
				t.Errorf("legacy=%t include=%s: searchQueries are there: %t", legacy, include, got)
			}
			if !on["shopping"] && (a.ShoppingCards != nil || a.InlineProducts != nil) {
				t.Errorf("legacy=%t include=%s: products that were not requested", legacy, include)
			}
		}
	}
}

// TestBothFormsAgree checks that both forms give the same answer in every language of the lab.
func TestBothFormsAgree(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, chatassistant.Provider{})
	for _, country := range []string{"US", "DE", "FR", "ES", "BR", "PT", "IT", "NL", "JP", "SE", "CH", "IN"} {
		page := ask(t, l, everything(false)("office chair", country))
		stream := ask(t, l, everything(true)("office chair", country))
		if diff := cmp.Diff(page, stream, cmpopts.IgnoreFields(earshot.Answer{}, "RawResponse", "Markdown")); diff != "" {
			t.Errorf("%s: page and stream differ:\n%s", country, diff)
		}
		if page.Model == nil || *page.Model != "lab-1" || page.Surface != earshot.SurfaceLab {
			t.Errorf("%s: model %v on surface %s", country, page.Model, page.Surface)
		}
		for _, part := range []string{page.Text, stream.Text} {
			providertest.CheckNoMarkup(t, part)
		}
		checkRich(t, country, page)
	}
}

// checkRich checks that the answer has enough content.
func checkRich(t *testing.T, country string, a *earshot.Answer) {
	t.Helper()
	for part, n := range map[string][3]int{
		"sources":        {len(a.Sources), 4, 8},
		"pills":          {len(a.CitationPills), 3, 15},
		"entities":       {len(a.Entities), 2, 5},
		"queries":        {len(a.SearchQueries), 3, 5},
		"related":        {len(a.RelatedQueries), 2, 4},
		"paragraphs":     {strings.Count(a.Text, "\n\n") + 1, 5, 9},
		"shopping cards": {len(a.ShoppingCards), 1, 2},
		"ads":            {len(a.Ads), 1, 2},
	} {
		if n[0] < n[1] || n[0] > n[2] {
			t.Errorf("%s: %d %s, want %d to %d", country, n[0], part, n[1], n[2])
		}
	}
	for _, card := range a.ShoppingCards {
		for _, p := range card.Products {
			if p.Price == nil || p.Price.Value == nil || p.Price.Currency == "" || p.Rating == nil || p.Reviews == nil || len(p.Offers) == 0 {
				t.Errorf("%s: incomplete product %+v", country, p)
			}
		}
	}
}

func TestFormIsDetected(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, chatassistant.Provider{})
	for legacy, word := range map[bool]string{false: "[[shape=legacy]]", true: "[[shape=mobile]]"} {
		asked := ask(t, l, everything(legacy)("rain jacket", "US"))
		other := ask(t, l, everything(legacy)("rain jacket "+word, "US"))
		if asked.Text != other.Text {
			t.Errorf("%s: text differs:\n%s", word, cmp.Diff(asked.Text, other.Text))
		}
		if (len(asked.RawResponse) == 1) == (len(other.RawResponse) == 1) {
			t.Errorf("%s: came in the same form", word)
		}
	}
	// The legacy form includes the queries even if the page was requested.
	if a := ask(t, l, `{"prompt":"rain jacket [[shape=legacy]]","country":"US"}`); len(a.SearchQueries) == 0 {
		t.Error("no search queries in the legacy shape")
	}
}

func TestWithoutWebSearch(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, chatassistant.Provider{})
	for _, legacy := range []bool{false, true} {
		a := ask(t, l, fmt.Sprintf(`{"prompt":"tents","country":"FR","legacy":%t,"disableWebSearch":true,"include":{"searchQueries":true}}`, legacy))
		if len(a.Sources)+len(a.CitationPills)+len(a.SearchQueries)+len(a.MapSearchQueries) > 0 {
			t.Errorf("legacy=%t: searched although search is disabled: %+v", legacy, a)
		}
		if a.Text == "" {
			t.Errorf("legacy=%t: no text", legacy)
		}
	}
}

func TestStatesDiffer(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, chatassistant.Provider{})
	texts := map[string]string{}
	for _, state := range []string{"", `,"state":"CA"`, `,"state":"NY"`} {
		text := ask(t, l, `{"prompt":"tents","country":"US"`+state+`}`).Text
		if other, taken := texts[text]; taken {
			t.Errorf("the same answer for %q and %q", state, other)
		}
		texts[text] = state
	}
}

// TestHostilePrompt checks that a prompt full of markup comes back as plain text.
func TestHostilePrompt(t *testing.T) {
	t.Parallel()
	const prompt = `</div><script>alert(1)</script><a href="javascript:alert(2)">x</a> **b** _i_ [l](javascript:alert(3)) &lt; \ {{.}} %s`
	l := providertest.StartLab(t, chatassistant.Provider{})
	for _, legacy := range []bool{false, true} {
		body, err := json.Marshal(map[string]any{
			"prompt": prompt, "country": "US", "legacy": legacy, "include": map[string]bool{"markdown": true, "html": true},
		})
		if err != nil {
			t.Fatal(err)
		}
		session := l.Session(1)
		outcome, err := providertest.Decode(t, chatassistant.Provider{}, string(body)).Ask(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		a := providertest.Answer(t, outcome.Result)
		providertest.Check(t, a)
		if !strings.Contains(a.Text, prompt[:70]) {
			t.Errorf("legacy=%t: the prompt is not in the text:\n%s", legacy, a.Text)
		}
		if strings.Contains(a.Markdown, "<script") && !strings.Contains(a.Markdown, `\<script`) {
			t.Errorf("legacy=%t: a script in the Markdown:\n%s", legacy, a.Markdown)
		}
		if bytes.Contains(session.Kept()[0], []byte("<script")) {
			t.Errorf("legacy=%t: a script in the capture", legacy)
		}
	}
}

func TestRawResponseAndCapture(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, chatassistant.Provider{})
	for _, legacy := range []bool{false, true} {
		session := l.Session(1)
		outcome, err := providertest.Decode(t, chatassistant.Provider{}, everything(legacy)("hats", "US")).Ask(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		a := providertest.Answer(t, outcome.Result)
		if want := providertest.CaptureURL + "/page-1.html"; a.HTML != want || len(session.Kept()) != 1 {
			t.Errorf("legacy=%t: html %q, want %q; %d pages kept", legacy, a.HTML, want, len(session.Kept()))
		}
		if !bytes.HasPrefix(session.Kept()[0], []byte("<!DOCTYPE html>")) {
			t.Errorf("legacy=%t: the capture is not a page", legacy)
		}
		first, last := string(a.RawResponse[0]), string(a.RawResponse[len(a.RawResponse)-1])
		if legacy && (first != `"v1"` || last != `"[DONE]"`) {
			t.Errorf("raw stream goes from %s to %s", first, last)
		}
		if !legacy && (len(a.RawResponse) != 1 || !strings.HasPrefix(first, `"\u003c!DOCTYPE`)) {
			t.Errorf("raw page is %d elements, the first %.40s", len(a.RawResponse), first)
		}
	}
}

func TestLabSite(t *testing.T) {
	providertest.LabSite{
		Provider: chatassistant.Provider{},
		Read:     chatassistant.Read,
		Pages:    []string{"/?hints=search&q="},
		Box:      `div#prompt-textarea[contenteditable]`,
		Button:   `button[data-testid="send-button"]`,
		Thread:   `main`,
		Done:     `#thread [data-turn="assistant"] [data-testid="copy-turn-action-button"]`,
		Complete: true,
		Stream: &providertest.LabStream{
			Path: "/backend-api/conversation",
			Question: func(prompt string) any {
				return map[string]any{
					"messages":     []any{map[string]any{"content": map[string]any{"parts": []string{prompt}}}},
					"system_hints": []string{"search"},
				}
			},
			Wrong: `{"messages":1}`,
			Type:  lab.TypeEvents,
			End:   "data: [DONE]\n\n",
		},
	}.Check(t)
}

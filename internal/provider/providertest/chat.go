package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/schema"
)

// Chat checks everything that chat.Assistant provides: requests and their price, each flag, and
// asking through the lab.
func Chat(t *testing.T, p *chat.Assistant) {
	t.Helper()
	t.Run("refuses", func(t *testing.T) { chatRefuses(t, p) })
	t.Run("bill", func(t *testing.T) { chatBill(t, p) })
	t.Run("lab", func(t *testing.T) { AgainstLab(t, p, chatBody) })
	l := StartLab(t, p)
	t.Run("flags", func(t *testing.T) { chatFlags(t, l, p) })
	t.Run("states", func(t *testing.T) { chatStates(t, l, p) })
	t.Run("languages", func(t *testing.T) { chatLanguages(t, l, p) })
	t.Run("hostile prompt", func(t *testing.T) { chatHostilePrompt(t, l, p) })
}

// chatBody returns a request with all flags set.
func chatBody(prompt, country string) string {
	return fmt.Sprintf(`{"prompt":%q,"country":%q,"include":{"html":true,"markdown":true,"rawResponse":true}}`, prompt, country)
}

func chatRefuses(t *testing.T, p *chat.Assistant) {
	t.Helper()
	abroad, _, _ := strings.Cut(p.About.Countries[0].Except, " ")
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"nothing":             {`{}`, []string{"prompt: is required", "country: is required"}},
		"empty prompt":        {`{"prompt":" \n ","country":"US"}`, []string{"prompt: must not be empty"}},
		"long prompt":         {`{"prompt":"` + strings.Repeat("é", schema.MaxPrompt+1) + `","country":"US"}`, []string{"prompt: must have at most 10000"}},
		"country not served":  {`{"prompt":"x","country":"` + abroad + `"}`, []string{"country: " + p.About.Name + " is not available in " + abroad}},
		"country lower case":  {`{"prompt":"x","country":"us"}`, []string{"country: must be an upper-case"}},
		"state elsewhere":     {`{"prompt":"x","country":"DE","state":"CA"}`, []string{"state: is only valid with country US"}},
		"unknown state":       {`{"prompt":"x","country":"US","state":"ca"}`, []string{"state: must be the upper-case"}},
		"misspelt flag":       {`{"prompt":"x","country":"US","include":{"markdwon":true}}`, []string{`include.markdwon: unknown field "markdwon", did you mean "markdown"?`}},
		"flag of another one": {`{"prompt":"x","country":"US","include":{"shopping":true},"legacy":true}`, []string{"legacy: unknown field", "include.shopping: unknown field"}},
		"wrong types":         {`{"prompt":1,"country":true,"include":[]}`, []string{"prompt: must be a string", "country: must be a string", "include: must be an object"}},
		"null flag":           {`{"prompt":"x","country":"US","include":{"html":null}}`, []string{"include.html: must be a boolean"}},
	} {
		if name == "country not served" && abroad == "" {
			continue // it is available everywhere
		}
		t.Run(name, func(t *testing.T) { Refuses(t, p, test.body, test.want) })
	}
}

func chatBill(t *testing.T, p *chat.Assistant) {
	t.Helper()
	for body, want := range map[string]provider.Bill{
		`{"prompt":"x","country":"DE"}`:              {provider.ItemBase: 1},
		chatBody("x", "DE"):                          {provider.ItemBase: 1},
		`{"prompt":"x","country":"US","state":"CA"}`: {provider.ItemBase: 1, provider.ItemState: 1},
	} {
		if got := Decode(t, p, body).Bill(); !cmp.Equal(got, want) {
			t.Errorf("%s: bill %v, want %v", body, got, want)
		}
	}
}

// chatFlags asks with every combination of flags. The answer must have exactly the requested parts.
func chatFlags(t *testing.T, l *Lab, p *chat.Assistant) {
	t.Helper()
	for set := range 8 {
		html, markdown, raw := set&1 != 0, set&2 != 0, set&4 != 0
		body := fmt.Sprintf(`{"prompt":"lamp","country":"GB","include":{"html":%t,"markdown":%t,"rawResponse":%t}}`, html, markdown, raw)
		session := l.Session(1)
		outcome, err := Decode(t, p, body).Ask(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		a := Answer(t, outcome.Result)
		if (a.HTML != "") != html || (a.Markdown != "") != markdown || (a.RawResponse != nil) != raw {
			t.Errorf("%s: html %q, markdown of %d bytes, %d raw elements", body, a.HTML, len(a.Markdown), len(a.RawResponse))
		}
		if !html {
			continue
		}
		if want := CaptureURL + "/page-1.html"; a.HTML != want || len(session.Kept()) != 1 || !bytes.HasPrefix(session.Kept()[0], []byte("<!DOCTYPE html>")) {
			t.Errorf("%s: html %q, want %q; %d pages kept", body, a.HTML, want, len(session.Kept()))
		}
	}
}

func chatStates(t *testing.T, l *Lab, p *chat.Assistant) {
	t.Helper()
	texts := map[string]string{}
	for _, state := range []string{"", `,"state":"CA"`, `,"state":"NY"`} {
		text := l.Answer(t, p, `{"prompt":"tents","country":"US"`+state+`}`).Text
		if other, taken := texts[text]; taken {
			t.Errorf("the same answer for %q and %q", state, other)
		}
		texts[text] = state
	}
}

// chatLanguages checks that the answer has enough content in every language of the lab.
func chatLanguages(t *testing.T, l *Lab, p *chat.Assistant) {
	t.Helper()
	for _, country := range []string{"US", "DE", "FR", "ES", "BR", "IT", "NL", "JP", "SE", "IN"} {
		a := l.Answer(t, p, chatBody("office chair", country))
		if a.Model == nil || *a.Model != "lab-1" || a.Surface != earshot.SurfaceLab {
			t.Errorf("%s: model %v on surface %s", country, a.Model, a.Surface)
		}
		CheckNoMarkup(t, a.Text)
		for part, n := range map[string][3]int{
			"sources":    {len(a.Sources), 3, 12}, // up to 8 pages, and posts of a social network
			"pills":      {len(a.CitationPills), 3, 15},
			"related":    {len(a.RelatedQueries), 2, 4},
			"paragraphs": {strings.Count(a.Text, "\n\n") + 1, 5, 9},
		} {
			if part == "related" && !slices.Contains(p.About.HealthFields, "relatedQueries") {
				continue // its answers have none
			}
			if n[0] < n[1] || n[0] > n[2] {
				t.Errorf("%s: %d %s, want %d to %d", country, n[0], part, n[1], n[2])
			}
		}
	}
}

// chatHostilePrompt checks that a prompt full of markup comes back as plain text.
func chatHostilePrompt(t *testing.T, l *Lab, p *chat.Assistant) {
	t.Helper()
	const prompt = `</div><script>alert(1)</script><a href="javascript:alert(2)">x</a> **b** _i_ [l](javascript:alert(3)) &lt; \ {{.}} %s`
	body, err := json.Marshal(map[string]any{
		"prompt": prompt, "country": "US", "include": map[string]bool{"markdown": true, "html": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	session := l.Session(1)
	outcome, err := Decode(t, p, string(body)).Ask(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	a := Answer(t, outcome.Result)
	Check(t, a)
	if !strings.Contains(a.Text, prompt[:70]) {
		t.Errorf("the prompt is not in the text:\n%s", a.Text)
	}
	if strings.Contains(a.Markdown, "<script") && !strings.Contains(a.Markdown, `\<script`) {
		t.Errorf("a script in the Markdown:\n%s", a.Markdown)
	}
	if bytes.Contains(session.Kept()[0], []byte("<script")) {
		t.Error("a script in the capture")
	}
}

package tracking

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// explored are answers to few questions, each asked twice in two sweeps.
const explored = `
brands:
  - {name: Ollaro, own: true, domains: [testbench.example]}
  - {name: Kestrin, domains: [ratingsroom.example]}
prompts: [best running shoes for beginners, Which trail running shoes last longest?]
targets:
  - {provider: chatassistant, country: US, options: {include: {markdown: true}}}
  - {provider: websearch, country: DE, options: {include: {searchoverview: true}}}
samples: 2
`

func TestLookingIntoAnswers(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		applied(t, n, a, "", explored)
		for _, key := range []string{"one", "two"} {
			ended(t, other, a, run(t, n, a, key).Sweep.ID)
		}
		var page earshot.AnswerPage
		n.Get(t, a, "/v1/trackers/shoes/answers?limit=200&outcome=answered").Has(t, "answers", http.StatusOK).Into(t, &page)
		if len(page.Answers) != 16 {
			t.Fatalf("there are %d answers", len(page.Answers))
		}
		checkFindings(t, other, a, page.Answers)
		checkDiff(t, n, a, page.Answers)
		checkTrial(t, n, a)
		checkDiscovery(t, other, a)
		checkSourceTypes(t, n, other, a)
		storetest.Audited(t, n.Store)
	}, harness.AllNamed(t))
}

func answerOf(t *testing.T, n *harness.Node, a *app.Account, id string) (answer earshot.TrackedAnswer) {
	t.Helper()
	n.Get(t, a, "/v1/trackers/shoes/answers/"+id).Has(t, "an answer", http.StatusOK).Into(t, &answer)
	return answer
}

// checkFindings marks every mention in the texts that are told.
func checkFindings(t *testing.T, n *harness.Node, a *app.Account, answers []earshot.TrackedAnswer) {
	t.Helper()
	mentions, backed := 0, 0
	for _, one := range answers {
		answer := answerOf(t, n, a, one.ID)
		found := answer.Found
		if found == nil || found.Rules != "r1" || len(found.Texts) == 0 {
			t.Fatalf("in %s is found %+v", one.ID, found)
		}
		for _, text := range found.Texts {
			if quoted, _ := json.Marshal(text.Text); text.Where != "panel" && !strings.Contains(string(answer.Result), strings.Trim(string(quoted), `"`)) {
				t.Errorf("the %s %q is not part of the result", text.Where, text.Text)
			}
		}
		for _, m := range found.Mentions {
			text := found.Texts[m.Text]
			if hit := text.Text[m.Start:m.End]; text.Where != m.Where || m.Kind == "name" && !strings.EqualFold(hit, m.Name) {
				t.Errorf("%+v marks %q of %+v", m, hit, text)
			}
			if m.SentenceStart > m.Start || m.SentenceEnd < m.End || m.SentenceEnd > len(text.Text) {
				t.Errorf("%+v has another sentence", m)
			}
			for _, position := range m.Citations {
				if at := slices.IndexFunc(found.Citations, func(p earshot.FoundPage) bool { return p.Position == position }); at < 0 || !slices.Contains(m.Domains, found.Citations[at].Domain) {
					t.Errorf("%+v is backed by page %d of %+v", m, position, found.Citations)
				}
				backed++
			}
			mentions++
		}
		for _, p := range found.Citations {
			if strings.Contains(p.URL, "testbench.example") != (p.Type == "own" && p.Brand == "Ollaro") {
				t.Errorf("a page is %+v", p)
			}
		}
		if isPage := strings.HasPrefix(one.Target, "websearch"); isPage != (found.Organic != nil) {
			t.Errorf("%s lists %+v", one.Target, found.Organic)
		}
		checkCell(t, answers, &answer)
	}
	if mentions == 0 || backed == 0 {
		t.Errorf("%d mentions, %d of them backed: the test proves nothing", mentions, backed)
	}
}

// checkCell holds the answers beside one against the list of all.
func checkCell(t *testing.T, all []earshot.TrackedAnswer, answer *earshot.TrackedAnswer) {
	t.Helper()
	var samples, previous, next []string
	for _, one := range all {
		switch {
		case one.ID == answer.ID || one.PromptID != answer.PromptID || one.Target != answer.Target:
		case one.Sweep == answer.Sweep:
			samples = append(samples, one.ID)
		case one.AskedAt.Before(answer.AskedAt.Time):
			previous = append(previous, one.ID)
		default:
			next = append(next, one.ID)
		}
	}
	ids := func(cell []earshot.CellAnswer) (ids []string) {
		for _, c := range cell {
			ids = append(ids, c.ID)
		}
		slices.Sort(ids)
		return ids
	}
	for _, side := range [][]string{samples, previous, next} {
		slices.Sort(side)
	}
	if c := answer.Cell; !slices.Equal(ids(c.Samples), samples) || !slices.Equal(ids(c.Previous), previous) || !slices.Equal(ids(c.Next), next) {
		t.Errorf("beside %s are %+v, want %v, %v and %v", answer.ID, c, samples, previous, next)
	}
}

func checkDiff(t *testing.T, n *harness.Node, a *app.Account, answers []earshot.TrackedAnswer) {
	t.Helper()
	chats := slices.DeleteFunc(slices.Clone(answers), func(one earshot.TrackedAnswer) bool { return one.PromptID != 1 || one.Target != "chatassistant/US" })
	slices.SortFunc(chats, func(a, b earshot.TrackedAnswer) int { return strings.Compare(a.ID, b.ID) })
	var sum float64
	for i := 1; i < len(chats); i++ {
		var diff earshot.AnswerDiff
		n.Get(t, a, "/v1/trackers/shoes/diff?"+url.Values{"a": {chats[i-1].ID}, "b": {chats[i].ID}}.Encode()).Has(t, "diff", http.StatusOK).Into(t, &diff)
		before, after := answerOf(t, n, a, chats[i-1].ID), answerOf(t, n, a, chats[i].ID)
		checkWords(t, &diff, &before, &after)
		if len(diff.Kept)+len(diff.Lost) != len(before.Found.Citations) || len(diff.Kept)+len(diff.Gained) != len(after.Found.Citations) {
			t.Errorf("%d are gained, %d lost, %d kept", len(diff.Gained), len(diff.Lost), len(diff.Kept))
		}
		if !diff.SameCell || diff.Distance.Domains == nil || diff.A.Answer.ID != chats[i-1].ID {
			t.Fatalf("the difference is %+v", diff)
		}
		sum += *diff.Distance.Domains
		if i == len(chats)-1 && (diff.Noise.DomainPairs != 3 || diff.Noise.Answers != 4 || math.Abs(*diff.Noise.Domains-sum/3) > 1e-12) {
			t.Errorf("the noise is %+v, want %v", diff.Noise, sum/3)
		}
	}
	other := slices.IndexFunc(answers, func(one earshot.TrackedAnswer) bool { return one.PromptID == 2 })
	var diff earshot.AnswerDiff
	n.Get(t, a, "/v1/trackers/shoes/diff?a="+answers[other].ID+"&b="+chats[0].ID).Has(t, "another cell", http.StatusOK).Into(t, &diff)
	if diff.SameCell {
		t.Error("two questions are one cell")
	}
}

// checkWords puts both texts together again.
func checkWords(t *testing.T, diff *earshot.AnswerDiff, before, after *earshot.TrackedAnswer) {
	t.Helper()
	var a, b string
	for _, run := range diff.Words {
		if run.Kind != "added" {
			a += run.Text
		}
		if run.Kind != "removed" {
			b += run.Text
		}
	}
	textOf := func(answer *earshot.TrackedAnswer) string {
		text, _ := shownBy(t, answer.Result)
		return strings.Join(strings.Fields(text), "")
	}
	if strings.Join(strings.Fields(a), "") != textOf(before) || strings.Join(strings.Fields(b), "") != textOf(after) {
		t.Errorf("the words are %+v", diff.Words)
	}
}

func checkTrial(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	try := func(body string) (tried earshot.NameTried) {
		t.Helper()
		n.Post(t, a, "/v1/trackers/shoes/names/try", body).Has(t, body, http.StatusOK).Into(t, &tried)
		return tried
	}
	// A name of the panel as it is changes nothing; numbers say how often it is there.
	same := try(`{"brand":"Ollaro","names":["Ollaro"]}`)
	named := rowOf(t, metricsOf(t, n, a, "metric=visibility&by=brand"), "visibility", "Ollaro", "*").Numerator
	if c := same.Changes; len(c) != 1 || c[0].NamedBefore != int(named) || c[0].NamedAfter != int(named) || same.Answers != 16 || same.More || !same.MadeUp {
		t.Errorf("the same name gives %+v, numbers %v", same, named)
	}
	if same.Hits == 0 || len(same.Contexts) == 0 || len(same.Contexts) > 10 {
		t.Fatalf("the same name gives %+v", same)
	}
	for _, c := range same.Contexts {
		if c.Sentence[c.Start:c.End] != "Ollaro" || c.Answer == "" || c.Target == "" || c.Prompt == "" {
			t.Errorf("a context is %+v", c)
		}
	}
	// A rival that takes the name away.
	rival := try(`{"names":["Ollaro Running","Ollaro"]}`)
	if len(rival.Collisions) != 2 || !rival.Collisions[1].Equal && !rival.Collisions[0].Equal {
		t.Errorf("the collisions are %+v", rival.Collisions)
	}
	if c := rival.Changes; rival.Brand != "Ollaro Running" || !slices.ContainsFunc(c, func(c earshot.VisibilityChange) bool { return c.Brand == "Ollaro Running" && c.NamedBefore == 0 }) {
		t.Errorf("the rival gives %+v", rival)
	}
	if gone := try(`{"brand":"Ollaro","names":[{"name":"Ollaro","match":{"near":["nowhere"]}}],"limit":3}`); gone.Hits != 0 || gone.Answers != 3 || !gone.More {
		t.Errorf("without its neighbours it gives %+v", gone)
	}
	for body, field := range map[string]string{
		`{"names":["x","x"]}`: "names[1].name", `{"names":["Kestrin"]}`: "names[0].name",
		`{"brand":"Ollaro","names":["a",{"name":"b","match":{"near":["two words"]}}]}`: "names[1].match.near[0]",
		`{"brand":"Ollaro","names":[{"name":"Ollaro","match":{"not":["Ollaro"]}}]}`:    "names[0].match.not[0]",
	} {
		n.Post(t, a, "/v1/trackers/shoes/names/try", body).Invalid(t, body, http.StatusBadRequest, field)
	}
}

func checkDiscovery(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	var report earshot.DiscoverReport
	n.Get(t, a, "/v1/trackers/shoes/discover?limit=500").Has(t, "discover", http.StatusOK).Into(t, &report)
	if report.Answers != 16 || len(report.Names) == 0 {
		t.Fatalf("discovered are %+v", report)
	}
	for i, name := range report.Names {
		if i > 0 && name.Named > report.Names[i-1].Named || name.Named < 1 || len(name.Examples) == 0 || len(name.Targets) == 0 || len(name.As) == 0 {
			t.Errorf("discovered is %+v", name)
		}
		if strings.Contains(name.Name, "Ollaro") || strings.Contains(name.Name, "Kestrin") {
			t.Errorf("%q is in the panel", name.Name)
		}
	}
}

// checkSourceTypes says of a site what kind it is: kept answers are analysed again by that.
func checkSourceTypes(t *testing.T, n, other *harness.Node, a *app.Account) {
	t.Helper()
	var sources earshot.SourceReport
	n.Get(t, a, "/v1/trackers/shoes/sources?by=url&limit=1000").Has(t, "sources", http.StatusOK).Into(t, &sources)
	at := slices.IndexFunc(sources.Rows, func(row earshot.SourceRow) bool { return row.Type == "other" })
	cited, err := url.Parse(sources.Rows[at].URL)
	if err != nil {
		t.Fatal(err)
	}
	change := applied(t, n, a, "", explored+"sources: [{domain: "+cited.Host+", type: editorial}]\n")
	if len(change.Changes) != 1 || change.Changes[0].Part != "sources" || change.Changes[0].What != cited.Host+": editorial" {
		t.Errorf("it changes %+v", change.Changes)
	}
	var rules earshot.RulesList
	harness.Eventually(t, "the new rules are current", func() bool {
		other.Get(t, a, "/v1/trackers/shoes/rules").Has(t, "rules", http.StatusOK).Into(t, &rules)
		return rules.Current == "r2"
	})
	if len(rules.Rules[0].Sources) != 1 || len(rules.Rules[0].Brands) != 2 || rules.Rules[1].Sources != nil {
		t.Errorf("the rules are %+v", rules)
	}
	n.Get(t, a, "/v1/trackers/shoes/sources?by=url&limit=1000").Has(t, "sources", http.StatusOK).Into(t, &sources)
	for _, row := range sources.Rows {
		if strings.Contains(row.URL, "//"+cited.Host+"/") != (row.Type == "editorial") {
			t.Errorf("now %s is %s", row.URL, row.Type)
		}
	}
	for sources, field := range map[string]string{
		`[{domain: no host, type: shop}]`: "sources[0].domain", `[{domain: a.example, type: own}]`: "sources[0].type", `[{type: shop}]`: "sources[0].domain",
		`[{domain: a.example, type: shop}, {domain: A.example., type: video}]`: "sources[1].domain",
	} {
		body := explored + "sources: " + sources + "\n"
		apply(t, n, a, "", body).Invalid(t, sources, http.StatusBadRequest, field)
	}
}

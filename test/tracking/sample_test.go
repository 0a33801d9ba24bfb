package tracking

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
	"earshot/test/harness"
)

// labWorld has brands of its own, so that a name can only come from it.
const labWorld = `
brands:
  - {name: Quellmark, rate: 0.6, domains: [quellmark.example]}
  - {name: Zandvoort Nine, rate: 0.4, position: 1}
  - {name: Ypsilon, rate: 0.2}
dayNoise: 0.3
promptNoise: 0.5
`

const everywhere = `
prompts: [best garden chairs, which tent lasts longest, quiet fridge]
targets:
  - {provider: chatassistant, country: US}
  - {provider: genassistant, country: DE}
  - {provider: socialassistant, country: US}
  - {provider: officeassistant, country: JP}
  - {provider: answerengine, country: FR}
  - {provider: searchaimode, country: US}
  - {provider: websearch, country: US, options: {include: {searchoverview: true}}}
`

// assistants are who the lab knows the targets by.
var assistants = map[string]string{
	"chatassistant/US": "chat.lab.test", "genassistant/DE": "gen.lab.test", "socialassistant/US": "social.lab.test", "officeassistant/JP": "office.lab.test",
	"answerengine/FR": "engine.lab.test", "searchaimode/US": "search.lab.test ai mode", "websearch/US": "search.lab.test",
}

// TestAnswersNameWhatTheLabDrew runs a sweep and holds each answer, as it is kept, to what
// the lab's world says of it.
func TestAnswersNameWhatTheLabDrew(t *testing.T) {
	t.Parallel()
	rates, err := lab.ParseWorld([]byte(labWorld))
	if err != nil {
		t.Fatal(err)
	}
	n := harness.Start(t, harness.World(t, labWorld))
	a := n.Organization(t, "many", 1000)
	applied(t, n, a, "", everywhere)
	sweep := ended(t, n, a, run(t, n, a, "one").Sweep.ID)
	if sweep.Progress.Answered != 3*len(assistants) {
		t.Fatalf("the sweep ended as %+v", sweep)
	}
	var page earshot.AnswerPage
	n.Get(t, a, "/v1/trackers/shoes/answers?limit=100").Has(t, "answers", http.StatusOK).Into(t, &page)
	for _, listed := range page.Answers {
		var answer earshot.TrackedAnswer
		n.Get(t, a, "/v1/trackers/shoes/answers/"+listed.ID).Has(t, "an answer", http.StatusOK).Into(t, &answer)
		want := drawn(rates, answer)
		for where, text := range prose(t, answer) {
			var got []string
			for _, b := range rates.Brands {
				if strings.Contains(text, b.Name) {
					got = append(got, b.Name)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s of %s names %v, the lab drew %v:\n%s", where, answer.Target, got, want, text)
			}
		}
	}
	const call = `{"prompt":"best garden chairs","country":"US"}`
	first, second := n.Post(t, a, "/v1/monitor/chatassistant", call), n.Post(t, a, "/v1/monitor/chatassistant", call)
	if string(first.Body) != string(second.Body) || strings.Contains(string(first.Body), "Quellmark") {
		t.Errorf("plain calls are sampled:\n%s\n%s", first.Body, second.Body)
	}
}

// drawn are the brands that an answer must name, in the order of the world.
func drawn(rates *lab.World, a earshot.TrackedAnswer) (names []string) {
	_, country, _ := strings.Cut(a.Target, "/")
	named := world.Named(world.Question{
		Prompt: a.Prompt, Country: country, Assistant: assistants[a.Target],
		Sample: &world.Sample{Rates: rates, Day: a.AskedAt.UTC().Format(time.DateOnly), Seed: a.ID},
	})
	for i := range rates.Brands {
		if slices.ContainsFunc(named, func(m world.Mention) bool { return m.Name == rates.Brands[i].Name }) {
			names = append(names, rates.Brands[i].Name)
		}
	}
	return names
}

// prose is what an answer says, by where it says it.
func prose(t *testing.T, a earshot.TrackedAnswer) map[string]string {
	t.Helper()
	if !strings.HasPrefix(a.Target, "websearch/") {
		var result earshot.Answer
		if err := json.Unmarshal(a.Result, &result); err != nil {
			t.Fatal(err)
		}
		return map[string]string{"the text": result.Text}
	}
	var result earshot.WebSearch
	if err := json.Unmarshal(a.Result, &result); err != nil || result.SearchOverview == nil {
		t.Fatalf("no overview: %v", err)
	}
	var titles, snippets strings.Builder
	for _, r := range result.OrganicResults {
		titles.WriteString(r.Title + "\n")
		snippets.WriteString(r.Snippet + "\n")
	}
	return map[string]string{"the overview": result.SearchOverview.Text, "titles": titles.String(), "snippets": snippets.String()}
}

package genassistant

import (
	"strings"

	"earshot/internal/provider/answer"
)

// event takes an event of an interaction, or an interaction as a whole: the
// API's newer form, in which an answer is a list of steps, or of outputs.
func (g *generation) event(event answer.Object) {
	whole := event
	if inner := event.Object("interaction"); inner != nil {
		whole = inner
	}
	g.setModel(whole.Text("model", "agent"))
	if status := whole.Text("status"); status != "" {
		g.interaction, g.ended = status, status == "completed"
	}
	if g.text.Len() == 0 { // the last event may repeat what the others said
		for _, field := range []string{"steps", "outputs"} {
			for _, step := range whole.Objects(field) {
				g.begin()
				g.step(step)
				for _, content := range step.Objects("content") {
					g.begin()
					g.step(content)
				}
			}
		}
	}
	if strings.HasSuffix(event.Text("event_type"), ".start") {
		g.begin()
	}
	for _, field := range []string{"step", "content", "delta"} {
		g.step(event.Object(field))
	}
}

// begin begins an output. The places of annotations are counted from there.
func (g *generation) begin() { g.parts = append(g.parts, g.text.Len()) }

// step takes a step, the content of one, or what is new of either.
func (g *generation) step(step answer.Object) {
	switch step.Text("type") {
	case "text", "text_annotation", "text_annotation_delta":
		g.say(answer.AsText(step["text"]))
		g.annotations(step.Objects("annotations"))
	case "google_search_call":
		g.queries = g.searched(g.queries, step.Object("arguments").Texts("queries", "query"))
	case "google_maps_call":
		g.mapQueries = g.searched(g.mapQueries, step.Object("arguments").Texts("queries", "query"))
	case "google_search_result":
		for _, result := range step.Objects("result") {
			if page, ok := g.webPage(result.Text("url"), result.Text("title"), ""); ok {
				g.found = append(g.found, page.Source)
			}
		}
	}
}

// annotations notes what is cited; those of one stretch of text that follow each
// other are one chip.
func (g *generation) annotations(list []answer.Object) {
	var chip claim
	for _, about := range list {
		page, ok := g.webPage(about.Text("url", "uri", "source"), about.Text("title"), "")
		if !ok {
			continue
		}
		g.sources.Add(page.Source)
		start, end := number(about, "start_index"), number(about, "end_index")
		if len(chip.pages) == 0 || chip.start != start || chip.end != end {
			g.claim(chip)
			chip = claim{part: max(len(g.parts)-1, 0), start: start, end: end}
		}
		if len(chip.pages) < maxPages {
			chip.pages = append(chip.pages, page)
		}
	}
	g.claim(chip)
}

package answerengine

import (
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
)

// answer returns the answer that the entry contains. Content that is not in its blocks is taken
// from its steps.
func (a *assembly) answer(want answer.Options) *earshot.Answer {
	final := finalStep(a.fields)
	r := &reader{
		answer: &earshot.Answer{Model: answer.ModelName(a.fields.Text("display_model", "user_selected_model", "model"))},
		things: answer.Things{Country: want.Country, Own: ownSources},
	}
	for _, result := range a.results(final) {
		r.pages = append(r.pages, webPage(result))
	}
	for _, use := range a.uses {
		r.walk(a.blocks[use])
	}
	r.walk(loosejson.Object{"media_items": a.fields["media_items"]})
	for _, step := range stepsOf(a.fields) {
		r.walk(step.Object("content"))
	}
	r.addRelated(a.fields, final)
	r.text(a.markdown(final), want.Markdown)
	r.finish()
	return r.answer
}

// textUse is the usage of the block with the whole text. If other blocks interrupt the text, its
// parts have this usage with a number appended.
const textUse = "ask_text"

// markdown returns the answer's text.
func (a *assembly) markdown(final loosejson.Object) string {
	if text := blockText(a.blocks[textUse]); text != "" {
		return text
	}
	var parts, others []string
	for _, use := range a.uses {
		text := blockText(a.blocks[use])
		switch {
		case text == "":
		case strings.HasPrefix(use, textUse):
			parts = append(parts, text)
		default:
			others = append(others, text)
		}
	}
	if len(parts) == 0 {
		parts = others
	}
	if len(parts) == 0 {
		return loosejson.AsText(final["answer"])
	}
	return strings.Join(parts, "\n\n")
}

// blockText returns the text of a block: the whole text if it is complete, and otherwise the joined
// chunks.
func blockText(block loosejson.Object) string {
	markdown := block.Object("markdown_block")
	if whole := loosejson.AsText(markdown["answer"]); whole != "" {
		return whole
	}
	chunks, _ := markdown["chunks"].([]any)
	var text strings.Builder
	for _, chunk := range chunks {
		text.WriteString(loosejson.AsText(chunk))
	}
	return text.String()
}

// results returns the pages that the numbers in the text refer to.
func (a *assembly) results(final loosejson.Object) []loosejson.Object {
	for _, block := range []loosejson.Object{
		a.blocks["web_results"].Object("web_result_block"),
		a.blocks["sources_answer_mode"].Object("sources_mode_block"),
		final,
		a.fields,
	} {
		for _, field := range []string{"web_results", "sources", "sources_list"} {
			if results := block.Objects(field); len(results) > 0 {
				return results
			}
		}
	}
	if results := citedRows(a.blocks["sources_answer_mode"].Object("sources_mode_block")); len(results) > 0 {
		return results
	}
	for _, step := range stepsOf(a.fields) {
		if results := step.Object("content").Objects("web_results"); len(results) > 0 {
			return results
		}
	}
	return nil
}

// citedRows returns the pages in the rows of a block: first the numbered pages at their positions,
// then the others.
func citedRows(block loosejson.Object) []loosejson.Object {
	rows := block.Objects("rows")
	pages := make([]loosejson.Object, len(rows))
	var others []loosejson.Object
	last := 0
	for _, row := range rows {
		page := row.Object("web_result")
		if number := row.Int("citation"); number >= 1 && number <= len(rows) {
			pages[number-1] = page
			last = max(last, number)
		} else if page != nil {
			others = append(others, page)
		}
	}
	return append(pages[:last], others...)
}

// stepsOf returns the steps that led to an answer. They are in the entry's text, as JSON or as JSON
// in a string.
func stepsOf(entry loosejson.Object) []loosejson.Object {
	return loosejson.AsObjects(decodeString(entry["text"]))
}

// decodeString returns the value; if the value is a string, it returns the JSON in the string.
func decodeString(value any) any {
	if text, ok := value.(string); ok {
		inner, _ := loosejson.Decode(text)
		return inner
	}
	return value
}

// finalStep returns the answer of the last step, or the answer that the entry has instead of steps:
// an object with answer and web_results.
func finalStep(entry loosejson.Object) loosejson.Object {
	for _, step := range stepsOf(entry) {
		if step.Text("step_type") != "FINAL" {
			continue
		}
		content := step.Object("content")
		if inner := loosejson.AsObject(decodeString(content["answer"])); inner != nil {
			return inner
		}
		return content
	}
	if whole := loosejson.AsObject(decodeString(entry["text"])); whole != nil {
		return whole
	}
	return entry
}

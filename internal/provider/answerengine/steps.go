package answerengine

import (
	"earshot/internal/provider/loosejson"
)

// stepsOf are the steps that led to an answer, which stand in an entry's text,
// as JSON or as JSON in a string.
func stepsOf(entry loosejson.Object) []loosejson.Object {
	return loosejson.AsObjects(unpacked(entry["text"]))
}

// unpacked is the value, or the JSON in it where it is a string.
func unpacked(value any) any {
	if text, ok := value.(string); ok {
		inner, _ := loosejson.Decode(text)
		return inner
	}
	return value
}

// finalStep is the answer that an entry's steps end in, or that it has in the
// place of steps: an object with answer and web_results.
func finalStep(entry loosejson.Object) loosejson.Object {
	for _, step := range stepsOf(entry) {
		if step.Text("step_type") != "FINAL" {
			continue
		}
		content := step.Object("content")
		if inner := loosejson.AsObject(unpacked(content["answer"])); inner != nil {
			return inner
		}
		return content
	}
	if whole := loosejson.AsObject(unpacked(entry["text"])); whole != nil {
		return whole
	}
	return entry
}

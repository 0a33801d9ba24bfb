package answerengine

import (
	"cmp"
	"strings"

	"earshot"
	"earshot/internal/provider/jsonpatch"
	"earshot/internal/provider/loosejson"
	"earshot/internal/upstream"
)

// assembly is an entry that grows with the events of a stream. An event contains fields of the
// entry, and whole blocks or changes to blocks. A block is identified by its intended usage.
type assembly struct {
	fields loosejson.Object
	blocks map[string]loosejson.Object
	uses   []string // keys of blocks, in the order of their first appearance

	patcher jsonpatch.Patcher
	ended   bool
	problem string // the error that an event reports
}

func newAssembly() *assembly {
	return &assembly{fields: loosejson.Object{}, blocks: map[string]loosejson.Object{}}
}

// event applies an event and returns the entry that the event belongs to. An event of a different
// entry starts a new assembly.
func (a *assembly) event(o loosejson.Object) *assembly {
	if id := o.Text(entryID); id != "" && a.fields.Text(entryID) != "" && id != a.fields.Text(entryID) {
		a = newAssembly()
	}
	if problem := problemOf(o); problem != "" {
		a.problem = problem
	}
	a.ended = a.ended || o.Text("type") == "end_of_stream" || o.Is("final_sse_message") || strings.EqualFold(o.Text("status"), "completed")
	a.add(o)
	return a
}

// entryID is the field that identifies an entry of a thread.
const entryID = "backend_uuid"

// problemOf returns the error that an event or an entry reports, or "".
func problemOf(o loosejson.Object) string {
	status := o.Text("status")
	if !strings.EqualFold(status, "failed") {
		status = ""
	}
	return cmp.Or(o.Text("error_message", "error_code", "error", "detail"), status)
}

// add adds the fields and blocks of an entry. A repeated field replaces the earlier one.
func (a *assembly) add(entry loosejson.Object) {
	for field, value := range entry {
		if field != "blocks" && field != "type" && value != nil { // type is the name of the event
			a.fields[field] = value
		}
	}
	for _, block := range entry.Objects("blocks") {
		a.block(block)
	}
}

func (a *assembly) block(block loosejson.Object) {
	use := loosejson.AsText(block["intended_usage"])
	known, ok := a.blocks[use]
	if !ok {
		known = loosejson.Object{}
		a.blocks[use] = known
		a.uses = append(a.uses, use)
	}
	for field, value := range block {
		switch field {
		case "intended_usage":
		case "diff_block":
			change := loosejson.AsObject(value)
			target := loosejson.AsText(change["field"])
			for _, patch := range change.Objects("patches") {
				path, _ := patch["path"].(string)
				op, _ := patch["op"].(string)
				known[target] = a.patcher.Apply(known[target], path, op, patch["value"])
			}
		default:
			known[field] = continueText(known.Object(field), value)
		}
	}
}

// continueText returns a block that replaces an earlier one. If its text does not begin at offset 0,
// the text continues the earlier text.
func continueText(earlier loosejson.Object, value any) any {
	block := loosejson.AsObject(value)
	from := block.Int("chunk_starting_offset")
	before, _ := earlier["chunks"].([]any)
	further, _ := block["chunks"].([]any)
	if from <= 0 || from > len(before) {
		return value
	}
	block["chunks"] = append(before[:from:from], further...)
	return value
}

// check returns an error if the stream has no complete answer.
func (a *assembly) check() error {
	switch {
	case a.problem != "":
		return upstream.Fail(earshot.ReasonUnavailable, "the stream reports %q", a.problem)
	case len(a.fields) == 0:
		return upstream.Fail(earshot.ReasonUnreadable, "the stream has no entry")
	case !a.ended:
		return upstream.Fail(earshot.ReasonUnavailable, "the stream is cut off before its last event")
	default:
		return nil
	}
}

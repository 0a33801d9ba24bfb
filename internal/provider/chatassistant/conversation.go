package chatassistant

import (
	"cmp"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// readConversation reads a whole conversation as one JSON document, on its own
// or somewhere within a larger one.
func readConversation(document []byte, want answer.Want) (*earshot.Answer, error) {
	var found *earshot.Answer
	err := rawdoc.ReadJSON(document, func() error {
		value, _ := loosejson.Decode(webtext.ValidText(string(document)))
		conversation := findConversation(value)
		if conversation == nil {
			if problem := trouble(loosejson.AsObject(value)); problem != "" {
				return upstream.Fail(earshot.ReasonUnavailable, "the interface reports %q", problem)
			}
			return upstream.Fail(earshot.ReasonUnreadable, "JSON, but no conversation")
		}
		found = readMessages(withoutBlocked(shownBranch(conversation), conversation.Objects("moderation_results")), want)
		if model := conversation.Object("model").Text("slug"); found.Model == nil && model != "" {
			found.Model = &model
		}
		return nil
	})
	return found, err
}

// maxSearched is how many values of a document are looked at for a conversation;
// real ones stand within the first hundred.
const maxSearched = 100_000

// findConversation finds the first conversation in a document, the one that is
// nested least: interfaces and those who store their answers put envelopes
// around it, and exports hold a list, newest first.
func findConversation(value any) loosejson.Object {
	queue := []any{value}
	for i := 0; i < len(queue) && i < maxSearched; i++ {
		switch v := queue[i].(type) {
		case []any:
			queue = append(queue, v...)
		case map[string]any:
			if isConversation(v) {
				return v
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				queue = append(queue, v[key])
			}
		}
	}
	return nil
}

func isConversation(o loosejson.Object) bool {
	for _, node := range o.Object("mapping") {
		if _, ok := loosejson.AsObject(node)["message"]; ok {
			return true
		}
	}
	for _, field := range []string{"linear_conversation", "messages"} {
		if list := o.Objects(field); len(list) > 0 && inEnvelope(list[0]) != nil {
			return true
		}
	}
	return false
}

// inEnvelope is the object with the message inside, where it is a message or has
// one; nodes without one have an id.
func inEnvelope(o loosejson.Object) loosejson.Object {
	if o.Object("author") != nil {
		return loosejson.Object{"message": map[string]any(o)}
	}
	if _, ok := o["message"]; ok || o.Text("id") != "" && o["children"] != nil {
		return o
	}
	return nil
}

// shownBranch is the messages that the user sees: those that lead to the
// current node, those of a list, or else the last branch of the tree.
func shownBranch(conversation loosejson.Object) []loosejson.Object {
	nodes := conversation.Object("mapping")
	if current := conversation.Text("current_node"); nodes.Object(current) != nil {
		return branch(nodes, current)
	}
	for _, field := range []string{"linear_conversation", "messages"} {
		var messages []loosejson.Object
		for _, item := range conversation.Objects(field) {
			if envelope := inEnvelope(item); envelope.Object("message") != nil {
				messages = append(messages, envelope)
			}
		}
		if len(messages) > 0 {
			return messages
		}
	}
	return branch(nodes, lastLeaf(nodes))
}

// lastLeaf is where the tree's newest branch ends: it is the last of its
// siblings at every fork.
func lastLeaf(nodes loosejson.Object) string {
	var id string
	for _, key := range slices.Sorted(maps.Keys(nodes)) {
		node := nodes.Object(key)
		if nodes.Object(node.Text("parent")) == nil && len(node.Texts("children", "id")) > 0 {
			id = key
			break
		}
	}
	for range len(nodes) {
		children := nodes.Object(id).Texts("children", "id")
		if len(children) == 0 {
			break
		}
		id = children[len(children)-1]
	}
	return id
}

// branch is the messages from the root to the node.
func branch(nodes loosejson.Object, id string) []loosejson.Object {
	var messages []loosejson.Object
	for range len(nodes) { // a branch is no longer than the tree, even if it is a circle
		node := nodes.Object(id)
		if node == nil {
			break
		}
		if node.Object("message") != nil {
			messages = append(messages, node)
		}
		id = node.Text("parent")
	}
	slices.Reverse(messages)
	return messages
}

// withoutBlocked leaves out the messages that moderation took back.
func withoutBlocked(envelopes, moderation []loosejson.Object) []loosejson.Object {
	blocked := map[string]bool{}
	for _, result := range moderation {
		if id := result.Text("message_id"); id != "" && result.Is("blocked") {
			blocked[id] = true
		}
	}
	return slices.DeleteFunc(envelopes, func(envelope loosejson.Object) bool {
		return blocked[envelope.Object("message").Text("id")]
	})
}

// trouble is what an event or a document calls an error.
func trouble(o loosejson.Object) string {
	return cmp.Or(o.Text("error", "detail"),
		o.Object("error").Text("message", "code"), o.Object("detail").Text("message", "code"))
}

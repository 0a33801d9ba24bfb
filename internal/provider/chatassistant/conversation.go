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

// readConversation reads a whole conversation from a JSON document, in which it may be nested.
func readConversation(document []byte, want answer.Options) (*earshot.Answer, error) {
	var found *earshot.Answer
	err := rawdoc.ReadJSON(document, func() error {
		value, _ := loosejson.Decode(webtext.ValidText(string(document)))
		conversation := findConversation(value)
		if conversation == nil {
			if problem := reportedError(loosejson.AsObject(value)); problem != "" {
				return upstream.Fail(earshot.ReasonUnavailable, "the document reports %q", problem)
			}
			return upstream.Fail(earshot.ReasonUnreadable, "the JSON document has no conversation")
		}
		found = readBranch(conversation, want)
		return nil
	})
	return found, err
}

// readBranch reads the answer from the messages of a conversation that the user sees.
func readBranch(conversation loosejson.Object, want answer.Options) *earshot.Answer {
	found := readMessages(withoutBlocked(shownBranch(conversation), conversation.Objects("moderation_results")), want)
	found.Model = cmp.Or(found.Model, answer.ModelName(conversation.Object("model").Text("slug")))
	return found
}

// maxSearched limits the values in which a conversation is searched for; in real documents it is
// among the first hundred.
const maxSearched = 100_000

// findConversation returns the least nested conversation of a document. The site and tools that
// store answers wrap it in envelopes. Exports hold a list with the newest conversation first.
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

// inEnvelope returns an object that has the message in the field "message", or nil if o is neither
// a message nor a node. A node without a message is recognised by its id and children.
func inEnvelope(o loosejson.Object) loosejson.Object {
	if o.Object("author") != nil {
		return loosejson.Object{"message": map[string]any(o)}
	}
	if _, ok := o["message"]; ok || o.Text("id") != "" && o["children"] != nil {
		return o
	}
	return nil
}

// shownBranch returns the messages that the user sees: the branch to the current node, or the
// messages of a list, or else the last branch of the tree.
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

// lastLeaf returns the id of the node at the end of the newest branch, which takes the last child
// at every fork.
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

// branch returns the messages from the root to the node.
func branch(nodes loosejson.Object, id string) []loosejson.Object {
	var messages []loosejson.Object
	for range len(nodes) { // ends even if the parents form a cycle
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

// withoutBlocked removes the messages that moderation has blocked.
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

// reportedError returns the error that an event or a document reports, or "".
func reportedError(o loosejson.Object) string {
	return cmp.Or(o.Text("error", "detail"),
		o.Object("error").Text("message", "code"), o.Object("detail").Text("message", "code"))
}

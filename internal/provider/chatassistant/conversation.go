package chatassistant

import (
	"slices"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// readConversation reads a whole conversation as one JSON document: messages in
// a tree, of which the branch that ends in current_node is shown.
func readConversation(document []byte, want answer.Want) (*earshot.Answer, error) {
	var found *earshot.Answer
	err := answer.ReadJSON(document, func() error {
		value, ok := answer.DecodeJSON(answer.ValidText(string(document)))
		conversation := answer.AsObject(value)
		nodes := conversation.Object("mapping")
		if !ok || nodes == nil {
			return upstream.Fail(earshot.ReasonUnreadable, "JSON, but no conversation")
		}
		found = readMessages(branch(nodes, conversation.Text("current_node")), want)
		return nil
	})
	return found, err
}

// branch is the messages from the root to the node.
func branch(nodes answer.Object, id string) []answer.Object {
	var messages []answer.Object
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

package chatassistant

import (
	"slices"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// readConversation reads a whole conversation as one JSON document: messages in
// a tree, of which the branch that ends in current_node is shown.
func readConversation(document []byte, want answer.Want) (*reading, error) {
	found := &reading{shape: shapeConversation}
	err := answer.ReadJSON(document, func() error {
		value, ok := decodeJSON(answer.ValidText(string(document)))
		conversation := asObject(value)
		nodes := conversation.object("mapping")
		if !ok || nodes == nil {
			return upstream.Fail(earshot.ReasonUnreadable, "JSON, but no conversation")
		}
		found.answer = readMessages(branch(nodes, conversation.text("current_node")), want)
		return nil
	})
	return found, err
}

// branch is the messages from the root to the node.
func branch(nodes object, id string) []object {
	var messages []object
	for range len(nodes) { // a branch is no longer than the tree, even if it is a circle
		node := nodes.object(id)
		if node == nil {
			break
		}
		if node.object("message") != nil {
			messages = append(messages, node)
		}
		id = node.text("parent")
	}
	slices.Reverse(messages)
	return messages
}

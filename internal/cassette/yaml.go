package cassette

import (
	"bytes"
	"encoding/json"
	"errors"

	"go.yaml.in/yaml/v3"
)

// Limits on YAML. Its parser makes a node of some 200 bytes for as little as two
// bytes of text, and aliases let a short text stand for a long one.
const (
	maxNodes = 1 << 20
	maxDepth = 500
)

// topics are the outermost keys of cassettes. A document without them is not
// worth parsing: most are no YAML, and some would be read as YAML by accident.
var topics = [][]byte{[]byte("interactions:"), []byte("http_interactions:"), []byte("requests:"), []byte("responses:")}

// fromYAML is the cassette as JSON, or the document itself where it is no
// cassette in YAML.
func fromYAML(document []byte) []byte {
	if !hasTopic(document) || nodes(document) > maxNodes {
		return document
	}
	var root yaml.Node
	if yaml.Unmarshal(document, &root) != nil || len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return document
	}
	var c converter
	if c.value(root.Content[0], 0) != nil {
		return document
	}
	return c.out.Bytes()
}

func hasTopic(document []byte) bool {
	for line := range bytes.Lines(document) {
		for _, topic := range topics {
			if bytes.HasPrefix(line, topic) {
				return true
			}
		}
	}
	return false
}

// nodes is about how many nodes parsing the document can make: each, or a key
// with its value, needs a line or a separator in it.
func nodes(document []byte) int {
	total := 0
	for _, separator := range []string{"\n", ",", "[", "{", "- ", "? "} {
		total += bytes.Count(document, []byte(separator))
	}
	return total
}

var errTooLarge = errors.New("cassette is too large or too deep")

// converter writes YAML as JSON, with the keys in their order.
type converter struct {
	out   bytes.Buffer
	nodes int // written so far, those that aliases repeat included
}

func (c *converter) value(n *yaml.Node, depth int) error {
	c.nodes++
	if depth > maxDepth || c.nodes > maxNodes || c.out.Len() > maxSize {
		return errTooLarge
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.MappingNode:
		return c.mapping(n, depth)
	case yaml.SequenceNode:
		c.out.WriteByte('[')
		for i, element := range n.Content {
			if i > 0 {
				c.out.WriteByte(',')
			}
			if err := c.value(element, depth+1); err != nil {
				return err
			}
		}
		c.out.WriteByte(']')
		return nil
	default:
		return c.scalar(n)
	}
}

func (c *converter) mapping(n *yaml.Node, depth int) error {
	c.out.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		if i > 0 {
			c.out.WriteByte(',')
		}
		if err := c.encode(n.Content[i].Value); err != nil {
			return err
		}
		c.out.WriteByte(':')
		if err := c.value(n.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	c.out.WriteByte('}')
	return nil
}

// scalar writes numbers as they stand where JSON has the same, dates as text,
// and bytes in the way in which Betamax writes a body of bytes.
func (c *converter) scalar(n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!binary", "!binary":
		return c.encode(map[string]string{"base64_string": n.Value})
	case "!!null":
		return c.encode(nil)
	case "!!bool", "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			c.out.WriteString(n.Value)
			return nil
		}
		var value any
		if n.Decode(&value) == nil && c.encode(value) == nil {
			return nil
		}
	}
	return c.encode(n.Value)
}

// encode writes nothing when it fails.
func (c *converter) encode(value any) error {
	e := json.NewEncoder(&c.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	c.out.Truncate(c.out.Len() - 1) // the line's end
	return nil
}

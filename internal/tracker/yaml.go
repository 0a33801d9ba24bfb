package tracker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"

	"earshot/internal/schema"
)

// maxYAMLDepth is how deeply a file may nest.
const maxYAMLDepth = 32

// fromYAML writes a YAML file as JSON, and gives the line of each field by its path. The
// file has one document; anchors and aliases are refused, since a small file could mean
// a huge one.
func fromYAML(text []byte) ([]byte, map[string]int, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil, schema.Invalid(schema.BodyField, "is empty; a definition is required")
	case err != nil:
		return nil, nil, schema.Invalid(schema.BodyField, "is not valid YAML: %v", err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, nil, schema.Invalid(schema.BodyField, "must be a single YAML document, but more follows it")
	}
	w := yamlWriter{lines: map[string]int{}}
	if err := w.value(document.Content[0], "", 0); err != nil {
		return nil, nil, schema.Invalid(schema.BodyField, "%v", err)
	}
	return w.out.Bytes(), w.lines, nil
}

type yamlWriter struct {
	out   bytes.Buffer
	lines map[string]int
}

func (w *yamlWriter) value(node *yaml.Node, path string, depth int) error {
	if depth > maxYAMLDepth {
		return fmt.Errorf("line %d nests deeper than %d levels", node.Line, maxYAMLDepth)
	}
	w.lines[path] = node.Line
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		return fmt.Errorf("line %d: anchors and aliases are not taken", node.Line)
	case node.Kind == yaml.SequenceNode:
		return w.sequence(node, path, depth)
	case node.Kind == yaml.MappingNode:
		return w.mapping(node, path, depth)
	default:
		return w.scalar(node)
	}
}

func (w *yamlWriter) sequence(node *yaml.Node, path string, depth int) error {
	w.out.WriteByte('[')
	for i, item := range node.Content {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := w.value(item, path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	return nil
}

func (w *yamlWriter) mapping(node *yaml.Node, path string, depth int) error {
	w.out.WriteByte('{')
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.Tag == "!!merge" {
			return fmt.Errorf("line %d: a name must be a plain text", name.Line)
		}
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := w.text(name.Value); err != nil {
			return err
		}
		w.out.WriteByte(':')
		inner := name.Value
		if path != "" {
			inner = path + "." + name.Value
		}
		if err := w.value(value, inner, depth+1); err != nil {
			return err
		}
		w.lines[inner] = name.Line
	}
	w.out.WriteByte('}')
	return nil
}

// scalar writes numbers, booleans and null as such, and everything else, dates among it,
// as the text that stands there.
func (w *yamlWriter) scalar(node *yaml.Node) error {
	switch node.Tag {
	case "!!null":
		w.out.WriteString("null")
		return nil
	case "!!bool", "!!int", "!!float":
		var value any
		if err := node.Decode(&value); err != nil {
			return fmt.Errorf("line %d: %w", node.Line, err)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("line %d: %s is no number of JSON", node.Line, node.Value)
		}
		w.out.Write(encoded)
		return nil
	default:
		return w.text(node.Value)
	}
}

func (w *yamlWriter) text(text string) error {
	encoded, err := json.Marshal(text)
	w.out.Write(encoded)
	return err
}

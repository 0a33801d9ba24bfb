package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"earshot"
	"earshot/internal/schema"
)

// maxYAMLDepth is the maximum nesting depth of a file.
const maxYAMLDepth = 32

// fromYAML converts a YAML file to JSON, and returns the line of each field by its path. The
// file must have one document. Anchors and aliases are rejected, because a small file could
// expand to a huge one. canonical replaces strings.
func fromYAML(text []byte, canonical func(path, value string) string) ([]byte, map[string]int, error) {
	if depthOf(text) > maxYAMLDepth {
		return nil, nil, schema.Invalid(schema.BodyField, "nests deeper than %d levels", maxYAMLDepth)
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, nil, syntaxError(err)
	}
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return nil, nil, schema.Invalid(schema.BodyField, "is empty; a definition is required")
	case len(file.Docs) > 1:
		return nil, nil, schema.Invalid(schema.BodyField, "must be a single YAML document")
	}
	w := yamlWriter{lines: map[string]int{}, canonical: canonical}
	if err := w.value(file.Docs[0].Body, "", 0); err != nil {
		return nil, nil, schema.Invalid(schema.BodyField, "%v", err)
	}
	return w.out.Bytes(), w.lines, nil
}

// depthOf returns an upper limit for the nesting depth of brackets; it also counts brackets
// in strings. The limit protects the parser, which is recursive.
func depthOf(text []byte) (deepest int) {
	depth := 0
	for _, b := range text {
		switch b {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(0, depth-1)
		case '\n':
			if deepest <= maxYAMLDepth {
				continue
			}
			return deepest
		}
	}
	return deepest
}

// syntaxError returns an error that names the line of a syntax error.
func syntaxError(err error) error {
	problem := earshot.FieldProblem{Field: schema.BodyField, Message: "is not valid YAML"}
	if syntax, ok := errors.AsType[*yaml.SyntaxError](err); ok {
		problem.Message += ": " + syntax.Message
		if syntax.Token != nil {
			problem.Line = syntax.Token.Position.Line
		}
	}
	invalid := schema.Invalid(problem.Field, "%s", problem.Message)
	invalid.Details = []earshot.FieldProblem{problem}
	return invalid
}

// unsupportedYAML is the error message for YAML features that definitions must not use.
const unsupportedYAML = "line %d: anchors, aliases, tags and merges are not supported"

// yamlWriter writes YAML nodes as JSON and records the line of each field.
type yamlWriter struct {
	out   bytes.Buffer
	lines map[string]int

	canonical func(path, value string) string
}

func lineOf(node ast.Node) int { return node.GetToken().Position.Line }

func (w *yamlWriter) value(node ast.Node, path string, depth int) error {
	if depth > maxYAMLDepth {
		return fmt.Errorf("line %d nests deeper than %d levels", lineOf(node), maxYAMLDepth)
	}
	w.lines[path] = lineOf(node)
	switch node := node.(type) {
	case *ast.SequenceNode:
		return w.sequence(node, path, depth)
	case *ast.MappingNode:
		return w.mapping(node.Values, path, depth)
	case *ast.MappingValueNode:
		return w.mapping([]*ast.MappingValueNode{node}, path, depth)
	case *ast.NullNode:
		w.out.WriteString("null")
		return nil
	case *ast.BoolNode:
		return w.encode(node.Value)
	case *ast.IntegerNode:
		return w.encode(node.Value)
	case *ast.FloatNode:
		return w.encode(node.Value)
	case *ast.StringNode:
		return w.encode(w.canonical(path, node.Value))
	case *ast.LiteralNode:
		return w.encode(node.Value.Value)
	default:
		return fmt.Errorf(unsupportedYAML, lineOf(node))
	}
}

func (w *yamlWriter) sequence(node *ast.SequenceNode, path string, depth int) error {
	w.out.WriteByte('[')
	for i, item := range node.Values {
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

func (w *yamlWriter) mapping(values []*ast.MappingValueNode, path string, depth int) error {
	w.out.WriteByte('{')
	for i, value := range values {
		if _, isMerge := value.Key.(*ast.MergeKeyNode); isMerge {
			return fmt.Errorf(unsupportedYAML, lineOf(value))
		}
		name := strings.TrimSpace(value.Key.GetToken().Value)
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := w.encode(name); err != nil {
			return err
		}
		w.out.WriteByte(':')
		inner := name
		if path != "" {
			inner = path + "." + name
		}
		if err := w.value(value.Value, inner, depth+1); err != nil {
			return err
		}
		w.lines[inner] = lineOf(value.Key)
	}
	w.out.WriteByte('}')
	return nil
}

// encode writes a number, a boolean or a string.
func (w *yamlWriter) encode(value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("%v cannot be written as JSON", value)
	}
	w.out.Write(encoded)
	return nil
}

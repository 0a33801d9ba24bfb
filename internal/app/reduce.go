package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"earshot"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/reduce"
	"earshot/internal/upstream"
)

// Reduction says what a reduced page must keep.
type Reduction struct {
	// Keep has paths of values in the result, such as shoppingCards[0].products[2].merchant. A value
	// must keep its shape, in any item of its lists. An absent value must stay absent in an item with a
	// name of the same shape. Without paths, the document must keep the reason why it has no result.
	Keep []string
	// Text has texts that a text or an attribute of the page must contain, in the same shape.
	Text []string
	Time time.Duration // the maximum time
}

// Reduce cuts a stored page to a small one that is parsed in the same way, without private data.
func Reduce(ctx context.Context, s Stored, want Reduction) ([]byte, error) {
	_, document, _ := parse(ctx, s) // the page in a recording; whether it is understood is checked below
	document = rawdoc.Trimmed(rawdoc.CapturedDocument(document))
	if !rawdoc.IsPage(document) {
		return nil, errors.New("only HTML pages can be reduced")
	}
	engine, err := engineOf(document)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(document) {
		decoded, err := charset.NewReader(bytes.NewReader(document), "")
		if err == nil {
			document, err = io.ReadAll(decoded)
		}
		if err != nil {
			return nil, fmt.Errorf("decode the page: %w", err)
		}
	}
	s.Host = engine.Host // the reduced page may not say which engine it is from
	root, err := html.Parse(bytes.NewReader(bytes.ToValidUTF8(document, []byte("\uFFFD"))))
	if err != nil {
		return nil, fmt.Errorf("parse the page: %w", err)
	}
	before, reason, err := resultOf(ctx, s, root)
	if err != nil {
		return nil, err
	}
	if len(want.Keep) == 0 && reason == "" {
		return nil, errors.New("the page is understood: say which values of the result it must keep")
	}
	var conditions []func(result any) bool
	for _, path := range want.Keep {
		condition, err := sameShape(before, path)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, condition)
	}
	err = reduce.Page(ctx, root, want.Time, func(root *html.Node) bool {
		if !hasTexts(root, want.Text) {
			return false
		}
		result, now, err := resultOf(ctx, s, root)
		if err != nil || now != reason {
			return false
		}
		for _, holds := range conditions {
			if !holds(result) {
				return false
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return render(root)
}

func render(root *html.Node) ([]byte, error) {
	var page bytes.Buffer
	err := html.Render(&page, root)
	return page.Bytes(), err
}

// resultOf parses a page and returns its result as decoded JSON, or the reason why it has none.
func resultOf(ctx context.Context, s Stored, root *html.Node) (result any, reason earshot.Reason, err error) {
	if s.Document, err = render(root); err != nil {
		return nil, "", err
	}
	found, err := Parse(ctx, s)
	if failure, ok := errors.AsType[*upstream.Failure](err); ok {
		return nil, failure.Reason, nil
	}
	if err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(found)
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	return result, "", err
}

// hasTexts reports whether the page contains texts of these shapes.
func hasTexts(root *html.Node, texts []string) bool {
	for _, text := range texts {
		shape, found := reduce.Neutral(text), false
		for n := range root.Descendants() {
			found = found || n.Type == html.TextNode && strings.Contains(reduce.Neutral(n.Data), shape)
			for _, a := range n.Attr {
				found = found || strings.Contains(reduce.Neutral(a.Val), shape)
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// step matches a name or an index in the path of a value.
var step = regexp.MustCompile(`[^.\[\]]+|\[[0-9]+\]`)

// sameShape returns a condition: some value at the path without indices has the shape of the value at
// the path. If the value is absent, it must stay absent in an item of the same name.
func sameShape(result any, path string) (func(any) bool, error) {
	steps := step.FindAllString(path, -1)
	var owner any
	var names []string
	value := result
	for _, s := range steps {
		owner = value
		if i, err := strconv.Atoi(strings.Trim(s, "[]")); err == nil && strings.HasPrefix(s, "[") {
			list, _ := value.([]any)
			if i >= len(list) {
				return nil, fmt.Errorf("the result has no %s", path)
			}
			value = list[i]
			continue
		}
		names = append(names, s)
		object, _ := value.(map[string]any)
		value = object[s]
	}
	if value != nil {
		shape := shapeOf(value)
		return func(now any) bool {
			return anyAt(now, names, func(v any) bool { return shapeOf(v) == shape })
		}, nil
	}
	item, _ := owner.(map[string]any)
	if item == nil {
		return nil, fmt.Errorf("the result has no %s", path)
	}
	name, field := reduce.Neutral(itemName(item)), names[len(names)-1]
	return func(now any) bool {
		return anyAt(now, names[:len(names)-1], func(v any) bool {
			o, ok := v.(map[string]any)
			return ok && o[field] == nil && reduce.Neutral(itemName(o)) == name
		})
	}, nil
}

// anyAt reports whether is returns true for a value at the path, in any item of its lists.
func anyAt(value any, names []string, is func(any) bool) bool {
	if len(names) == 0 && value != nil && is(value) {
		return true
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if anyAt(item, names, is) {
				return true
			}
		}
	case map[string]any:
		return len(names) > 0 && anyAt(v[names[0]], names[1:], is)
	}
	return false
}

// shapeOf returns the shape of a value: neutral texts and numbers, and no positions.
func shapeOf(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(reduce.Neutral(v))
	case float64:
		return reduce.Neutral(strconv.FormatFloat(v, 'f', -1, 64))
	case []any:
		shapes := make([]string, len(v))
		for i, item := range v {
			shapes[i] = shapeOf(item)
		}
		return "[" + strings.Join(shapes, ",") + "]"
	case map[string]any:
		shapes := make([]string, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name != "position" && name != "page" {
				shapes = append(shapes, name+":"+shapeOf(v[name]))
			}
		}
		return "{" + strings.Join(shapes, ",") + "}"
	default:
		return fmt.Sprint(v)
	}
}

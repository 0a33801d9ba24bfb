package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Change is a value that differs between two results.
type Change struct {
	Path   string `json:"path"`             // such as organicResults[3].snippet
	Before any    `json:"before,omitempty"` // absent if the value was added
	After  any    `json:"after,omitempty"`  // absent if the value was removed
}

// String returns the change as text, such as organicResults[3].snippet: "a" -> "b".
func (c Change) String() string {
	switch {
	case c.Before == nil:
		return c.Path + ": added " + shortJSON(c.After)
	case c.After == nil:
		return c.Path + ": removed " + shortJSON(c.Before)
	default:
		return c.Path + ": " + shortJSON(c.Before) + " -> " + shortJSON(c.After)
	}
}

// maxShown is the maximum number of characters of a value in a text.
const maxShown = 100

// shortJSON returns a value as JSON, and an object as its name if it has one.
func shortJSON(value any) string {
	if o, ok := value.(map[string]any); ok {
		if name := strings.TrimSpace(itemName(o)); name != "" {
			value = name
		}
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	all := []rune(strings.TrimSpace(text.String()))
	if len(all) > maxShown {
		return string(all[:maxShown]) + "…"
	}
	return string(all)
}

// compareResults returns the values that differ between two results in JSON.
func compareResults(before, after []byte, isSame func(path string, before, after any) bool) ([]Change, error) {
	var was, is any
	if err := json.Unmarshal(before, &was); err != nil {
		return nil, fmt.Errorf("compare with the result: %w", err)
	}
	if err := json.Unmarshal(after, &is); err != nil {
		return nil, fmt.Errorf("compare the result: %w", err)
	}
	c := comparison{isSame: isSame}
	c.values("", was, is)
	return c.changes, nil
}

type comparison struct {
	changes []Change
	isSame  func(path string, before, after any) bool // values that need not be equal
}

// values compares two values; nil means absent.
func (c *comparison) values(path string, before, after any) {
	switch was := before.(type) {
	case map[string]any:
		if is, ok := after.(map[string]any); ok {
			c.objects(path, was, is)
			return
		}
	case []any:
		if is, ok := after.([]any); ok {
			c.lists(path, was, is)
			return
		}
	}
	if !reflect.DeepEqual(before, after) && !c.isSame(path, before, after) {
		c.changes = append(c.changes, Change{Path: path, Before: before, After: after})
	}
}

func (c *comparison) objects(path string, before, after map[string]any) {
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c.values(strings.TrimPrefix(path+"."+name, "."), before[name], after[name])
	}
}

// lists compares the items with the same name, then the other items with the same index.
func (c *comparison) lists(path string, before, after []any) {
	unused := map[string][]int{} // indices in before by name
	for i, item := range before {
		unused[itemName(item)] = append(unused[itemName(item)], i)
	}
	matches := make([]int, len(after)) // the index in before, or -1
	used := make([]bool, len(before))
	for j, item := range after {
		matches[j] = -1
		if same := unused[itemName(item)]; len(same) > 0 {
			matches[j], unused[itemName(item)], used[same[0]] = same[0], same[1:], true
		}
	}
	last, isReordered := -1, false
	for j, item := range after {
		i := matches[j]
		if i < 0 && j < len(before) && !used[j] {
			i, used[j] = j, true
		}
		at := fmt.Sprintf("%s[%d]", path, j)
		if i < 0 {
			c.values(at, nil, item)
			continue
		}
		isReordered, last = isReordered || i < last, max(i, last)
		c.values(at, withoutPosition(before[i], i != j), withoutPosition(item, i != j))
	}
	for i, item := range before {
		if !used[i] {
			c.values(fmt.Sprintf("%s[%d]", path, i), item, nil)
		}
	}
	if isReordered {
		c.changes = append(c.changes, Change{Path: path + " order", Before: names(before), After: names(after)})
	}
}

// itemName returns what an item of a list is about: its URL, its question, its title or its name.
func itemName(item any) string {
	o, ok := item.(map[string]any)
	if !ok {
		return fmt.Sprint(item)
	}
	text := func(name string) string { value, _ := o[name].(string); return value }
	return text("type") + " " + cmp.Or(text("url"), text("link"), text("question"), text("query"), text("title"), text("name"), text("label"))
}

func names(items []any) []string {
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = strings.TrimSpace(itemName(item))
	}
	return all
}

// withoutPosition returns an item without its position, which changes with every item before it.
func withoutPosition(item any, moved bool) any {
	if o, ok := item.(map[string]any); ok && moved {
		o = maps.Clone(o)
		delete(o, "position")
		return o
	}
	return item
}

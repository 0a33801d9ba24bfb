package batchfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Keys derives the idempotency keys of the questions of a run. A key does not depend on
// the line number, so rows can be added anywhere without paying for the others again. If
// two rows have the same content, their keys differ, because the user wants both.
type Keys struct {
	Run  string         // name of the run; may be empty
	seen map[string]int // number of questions so far, by content
}

// Next returns the key of the next question: a payload for the named provider.
func (k *Keys) Next(provider string, payload map[string]any) string {
	if k.seen == nil {
		k.seen = map[string]int{}
	}
	var content strings.Builder
	canonical(&content, []any{k.Run, provider, payload})
	n := k.seen[content.String()]
	k.seen[content.String()]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", n, content.String()))
	return "earshot-batch-" + hex.EncodeToString(sum[:20])
}

// canonical writes JSON in the canonical form that docs/api-guide.md describes: without
// white space, names sorted by their UTF-8 bytes, only quotes, backslashes and control
// characters escaped, and numbers as JavaScript writes them.
func canonical(to *strings.Builder, value any) {
	switch v := value.(type) {
	case map[string]any:
		to.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				to.WriteByte(',')
			}
			canonicalText(to, name)
			to.WriteByte(':')
			canonical(to, v[name])
		}
		to.WriteByte('}')
	case []any:
		to.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				to.WriteByte(',')
			}
			canonical(to, item)
		}
		to.WriteByte(']')
	case string:
		canonicalText(to, v)
	case json.Number:
		number, err := v.Float64()
		if err != nil { // out of range; the service rejects it
			to.WriteString(v.String())
			return
		}
		canonical(to, number)
	case float64:
		if v == 0 {
			v = 0 // not -0
		}
		text, _ := json.Marshal(v) // like JavaScript; a number from JSON is finite
		to.Write(text)
	default:
		text, _ := json.Marshal(v) // true, false, null
		to.Write(text)
	}
}

var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func canonicalText(to *strings.Builder, text string) {
	to.WriteByte('"')
	for _, r := range text {
		switch escape, special := escapes[r]; {
		case special:
			to.WriteString(escape)
		case r < ' ':
			fmt.Fprintf(to, `\u%04x`, r)
		default:
			to.WriteRune(r)
		}
	}
	to.WriteByte('"')
}

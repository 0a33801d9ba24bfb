package socialassistant

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"earshot/internal/provider/answer"
)

// conversation takes the newest reply of a stored conversation, and tells whether
// there is one.
func (s *streamed) conversation(value any) bool {
	reply := newestReply(value, nil)
	if reply == nil {
		return false
	}
	s.gather(reply)
	s.whole, s.ended = reply, true
	return true
}

// newestReply looks for replies in a value, however it is wrapped. Where their
// times are not told the last one counts.
func newestReply(value any, newest answer.Object) answer.Object {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			newest = newestReply(item, newest)
		}
	case map[string]any:
		if isReply(v) {
			reply := renamed(v)
			if newest == nil || madeAt(reply) >= madeAt(newest) {
				return reply
			}
			return newest
		}
		for _, field := range slices.Sorted(maps.Keys(v)) {
			newest = newestReply(v[field], newest)
		}
	}
	return newest
}

// isReply tells a reply by who sent it: what people wrote looks the same.
func isReply(o answer.Object) bool {
	sender := o.Text("sender", "sender_type", "senderType")
	return answer.AsText(o["message"]) != "" && (strings.EqualFold(sender, "assistant") || strings.EqualFold(sender, "agent"))
}

// madeAt is when a reply was made, in a form that sorts.
func madeAt(reply answer.Object) string {
	return cmp.Or(reply.Amount("createTime", "createdAtMs"), reply.Object("createTime").Object("$date").Amount("$numberLong"))
}

// renamed is the reply with its fields named as a stream names them: some
// interfaces write the words of a name with underscores between them.
func renamed(reply answer.Object) answer.Object {
	named, _ := rename(map[string]any(reply)).(map[string]any)
	return named
}

func rename(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = rename(v[i])
		}
	case map[string]any:
		named := make(map[string]any, len(v))
		for field, inner := range v {
			words := strings.Split(field, "_")
			for i, word := range words[1:] {
				if word != "" {
					words[i+1] = strings.ToUpper(word[:1]) + word[1:]
				}
			}
			named[strings.Join(words, "")] = rename(inner)
		}
		return named
	}
	return value
}

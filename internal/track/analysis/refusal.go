package analysis

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// longestRefusal is the largest number of characters of a refusal.
const longestRefusal = 400

// refusals are lower-case phrases by which assistants decline to answer, by language. Each
// says that the assistant itself will not answer; "we cannot recommend this shoe" is not a
// refusal. Texts without any of these phrases count as answers.
var refusals = map[string][]string{
	"en": {
		"i can't help with", "i cannot help with", "i can't assist with", "i cannot assist with", "i'm unable to help with", "i am unable to help with",
		"i'm unable to assist with", "i am unable to assist with", "i'm not able to help with", "i am not able to help with", "i can't answer that", "i cannot answer that",
		"i can't respond to", "i cannot respond to", "i can't comply with", "i cannot comply with", "i can't discuss", "i cannot discuss",
		"i won't be able to help with", "i must decline", "i have to decline",
	},
	"de": {
		"dabei kann ich nicht helfen", "dabei kann ich ihnen nicht helfen", "dabei kann ich dir nicht helfen", "damit kann ich nicht helfen",
		"damit kann ich ihnen nicht helfen", "damit kann ich dir nicht helfen", "diese frage kann ich nicht beantworten", "ich kann diese frage nicht beantworten",
		"ich kann diese anfrage nicht", "ich kann dir dabei nicht", "ich kann ihnen dabei nicht",
	},
	"fr": {
		"je ne peux pas vous aider", "je ne peux pas t'aider", "je ne peux pas répondre à cette", "je ne suis pas en mesure de répondre", "je ne suis pas en mesure de vous aider",
	},
	"es": {"no puedo ayudarte con", "no puedo ayudarle con", "no puedo ayudar con", "no puedo responder a es", "lo siento, pero no puedo"},
	"it": {"non posso aiutarti con", "non posso aiutarla con", "non posso rispondere a questa", "mi dispiace, ma non posso"},
	"pt": {"não posso ajudar com", "não posso ajudá-lo com", "não posso responder a es", "desculpe, mas não posso"},
	"nl": {"daar kan ik niet mee helpen", "ik kan je daar niet mee helpen", "ik kan u daar niet mee helpen", "ik kan deze vraag niet beantwoorden"},
	"pl": {"nie mogę w tym pomóc", "nie mogę ci w tym pomóc", "nie mogę odpowiedzieć na to pytanie"},
	"ja": {"お手伝いできません", "お答えできません", "お答えすることはできません", "回答できません"},
	"zh": {"我无法回答", "我不能回答", "无法协助", "我無法回答", "無法協助"},
	"ko": {"도와드릴 수 없습니다", "답변할 수 없습니다", "답변드릴 수 없습니다"},
}

// listItem matches the start of a list item.
var listItem = regexp.MustCompile(`(?m)^\s*([-*•]|\d+[.)])\s`)

// Refused reports whether an assistant declined to answer: the answer is short, has no
// citation and no list, and contains one of the phrases above.
func Refused(stored []byte) bool {
	var r result
	if json.Unmarshal(stored, &r) != nil || r.OrganicResults != nil || r.NewsResults != nil || len(r.Sources) > 0 {
		return false
	}
	text := cmp.Or(r.Text, r.Markdown)
	if utf8.RuneCountInString(text) > longestRefusal || listItem.MatchString(text) || strings.Contains(text, "://") {
		return false
	}
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	for _, phrases := range refusals {
		for _, phrase := range phrases {
			if strings.Contains(text, phrase) {
				return true
			}
		}
	}
	return false
}

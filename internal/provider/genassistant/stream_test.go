package genassistant_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
)

// message returns a stream with one message.
func message(content string) string {
	data, _ := json.Marshal(content) // a string always marshals
	return fmt.Sprintf(")]}'\n\n%d\n[[\"wrb.fr\",null,%s]]\n25\n[[\"e\",4,null,null,1]]\n", len(data)+19, data)
}

// replied returns a stream with one reply. further is JSON for the fields after those that every
// reply has.
func replied(text, further string) string {
	data, _ := json.Marshal(text) // a string always marshals
	return message(`[null,["c_1","r_1"],null,null,[["rc_1",[` + string(data) + `],null,null,null,null,null,null,[2],"en",null,null,` + further + `]]]`)
}

// TestHostileStreams parses streams that are designed to break this parser.
func TestHostileStreams(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	groups := func(list string) string { return `[{"44":[` + list + `]}]` }
	group := `[[" [cite: 1, 2]"],[[null,null,null,[[null,"https://a.example/","A"]]]]]`
	for name, document := range map[string]string{
		"many marks":       replied(rep("word[cite: 1] ", 20_000), groups(group)),
		"many numbers":     replied("[cite: "+rep("1,", 100_000)+"1]", groups(group)),
		"open marks":       replied(rep("[cite: 1", 30_000), groups(group)),
		"open pictures":    replied(rep("[Image of a ", 20_000), "[]"),
		"open buttons":     replied(rep(`<FollowUp query="a" `, 15_000), "[]"),
		"many buttons":     replied(rep(`<FollowUp query="a"/>`, 15_000), "[]"),
		"many h":           replied(rep("http", 60_000), "[]"),
		"many groups":      replied("a[cite: 2]", groups(rep(group+",", 20_000)+group)),
		"many sources":     replied("a", `[[`+rep(`["https://a.example/","A"],`, 50_000)+`0]]`),
		"deep":             replied("a", rep("[", 9000)+rep("]", 9000)),
		"too deep":         replied("a", strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)),
		"replies in reply": message(rep(`["rc_1",[""],`, 4000) + `0` + rep(`]`, 4000)),
		"many messages":    rep(message("[]"), 10_000),
		"wrong kinds":      replied("a", `{"2":5,"8":"x","44":{"0":[[1]]}}`),
		"only numbers":     ")]}'\n" + rep("1\n", 100_000),
		"many guards":      rep(")]}'", 100_000),
		"no content":       ")]}'\n[[\"wrb.fr\"],[\"wrb.fr\",null,5,0,0,[[]]],[],[[]],{}]",
		"invalid UTF-8":    replied("a\xff\xfe\x00b", "[]"),
	} {
		t.Run(name, func(t *testing.T) { providertest.Survives(t, document, parse) })
	}
}

// TestSingleFrame reads a single message, as tools store it.
func TestSingleFrame(t *testing.T) {
	t.Parallel()
	_, frame, _ := strings.Cut(replied("Hello.", "[]"), "[[")
	frame, _, _ = strings.Cut(frame, "]\n25")
	result, err := parse([]byte("[" + frame))
	if found, ok := result.(*earshot.Answer); err != nil || !ok || found.Text != "Hello." {
		t.Errorf("%+v, %v", result, err)
	}
}

package chatassistant_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
)

// dataPage returns a page whose scripts contain the data in two calls, and that shows content.
func dataPage(t *testing.T, data, content string) []byte {
	t.Helper()
	calls := ""
	for _, part := range []string{data[:len(data)/2], data[len(data)/2:]} {
		text, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		calls += `<script>window.__reactRouterContext.streamController.enqueue(` + string(text) + `);</script>`
	}
	return []byte(`<!DOCTYPE html><html><body>` + content + calls + `</body></html>`)
}

// said is the beginning of data with a conversation.
const said = `[{"_1":2,"_13":14},"messages",[3],{"_4":5,"_7":8,"_15":16},"author",{"_6":12},"role",` +
	`"content",{"_9":10,"_11":17},"content_type","text","parts","assistant","more",19,"id","a1",[18],"Said.",`

// TestPageData reads data whose values refer to each other in every way.
func TestPageData(t *testing.T) {
	t.Parallel()
	circle := strings.Replace(said, `"more",19,`, `"more",{"_13":0},`, 1)
	for name, data := range map[string]string{
		"plain":            said + `0]` + "\n",
		"circle":           circle + `0]` + "\n",
		"list in itself":   strings.Replace(said, `"more",19,`, `"more",[14],`, 1) + `0]` + "\n",
		"promise":          `[{"_1":2},"data",["P",7]]` + "\nE3:[]\nP7:" + shift(said) + `0]` + "\n",
		"unknown promises": strings.Replace(said, `"more",19,`, `"more",["P",99],`, 1) + `["P"],["S",1,-1],["N",{"_1":-7}],["D",0]]` + "\n",
		"other indexes":    strings.Replace(said, `"more",19,`, `"more",[-1,-7,4000,1.5,null,{"_x":1}],`, 1) + `0]` + "\n",
	} {
		a := providertest.Yields(t, parse, dataPage(t, data, ""))
		if a.Text != "Said." {
			t.Errorf("%s: text %q", name, a.Text)
		}
	}
}

// shift adds 3 to all indexes of said, for data after three other values.
func shift(data string) string {
	return strings.NewReplacer(
		`"_1":2,"_13":14`, `"_4":5,"_16":17`, `[3]`, `[6]`, `"_4":5,"_7":8,"_15":16`, `"_7":8,"_10":11,"_18":19`, `{"_6":12}`, `{"_9":15}`,
		`"_9":10,"_11":17`, `"_12":13,"_14":20`, `[18]`, `[21]`,
	).Replace(data)
}

// TestLargePageData reads data that would need all memory or take very long without limits.
func TestLargePageData(t *testing.T) {
	t.Parallel()
	doubling := "["
	for i := range 60 {
		doubling += fmt.Sprintf("[%d,%d],", i+1, i+1)
	}
	for name, data := range map[string]string{
		"doubling": doubling + "0]",
		"itself":   `[[` + strings.Repeat("0,", 200_000) + `0]]`,
		"texts":    `[[` + strings.Repeat("1,", 200_000) + `1],"` + strings.Repeat("x", 400_000) + `"]`,
	} {
		if _, err := parse(dataPage(t, data, "")); err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPageAfterData reads a page that shows a message that is newer than its data.
func TestPageAfterData(t *testing.T) {
	t.Parallel()
	const shown = `<section data-turn="assistant"><div data-message-author-role="assistant" data-message-id="%">` +
		`<div class="markdown">Shown.</div></div></section>`
	for id, want := range map[string]string{"a1": "Said.", "a2": "Shown."} {
		a := providertest.Yields(t, parse, dataPage(t, said+"0]\n", strings.Replace(shown, "%", id, 1)))
		if a.Text != want {
			t.Errorf("%s: text %q, want %q", id, a.Text, want)
		}
	}
}

// TestCutPageData checks that a page whose data or end is missing is an error.
func TestCutPageData(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("testdata/shared.html")
	if err != nil {
		t.Fatal(err)
	}
	for length := 500; length < len(document)-len("</html>\n"); length += 97 {
		if result, err := parse(document[:length]); err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) {
			t.Errorf("first %d bytes: %v, %v", length, result, err)
		}
	}
}

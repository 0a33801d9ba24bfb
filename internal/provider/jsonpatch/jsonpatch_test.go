package jsonpatch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"earshot/internal/provider/jsonpatch"
	"earshot/internal/provider/loosejson"
)

func TestApply(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ document, path, op, value, want string }{
		{`{"a":1}`, "/a", "replace", `2`, `{"a":2}`},
		{`{"a":1}`, "/b", "add", `2`, `{"a":1,"b":2}`},
		{`{"a":1}`, "/a", "remove", `null`, `{}`},
		{`{"a/b":{"~":1}}`, "/a~1b/~0", "replace", `2`, `{"a/b":{"~":2}}`},
		{`{"a":1}`, "", "replace", `[]`, `[]`},
		{`{"a":1}`, "", "remove", `null`, `null`},
		{`{"a":1}`, "/b/c", "add", `2`, `{"a":1}`},
		{`{"a":1}`, strings.Repeat("/a", 17), "add", `2`, `{"a":1}`},
		{`{"a":["x","z"]}`, "/a/1", "add", `"y"`, `{"a":["x","y","z"]}`},
		{`{"a":["x"]}`, "/a/-", "add", `"y"`, `{"a":["x","y"]}`},
		{`{"a":["x","y"]}`, "/a/0", "remove", `null`, `{"a":["y"]}`},
		{`{"a":["x"]}`, "/a/2", "add", `"y"`, `{"a":["x"]}`},
		{`{"a":["x"]}`, "/a/-1", "replace", `"y"`, `{"a":["x"]}`},
		{`{"a":[{"b":1}]}`, "/a/0/b", "replace", `2`, `{"a":[{"b":2}]}`},
		{`{"a":[1]}`, "/a", "append", `[2,3]`, `{"a":[1,2,3]}`},
		{`{"a":{"b":1}}`, "/a", "append", `{"c":2}`, `{"a":{"b":1,"c":2}}`},
		{`{"a":"äöü"}`, "/a", "truncate", `2`, `{"a":"äö"}`},
		{`{"a":[1,2,3]}`, "/a", "truncate", `1`, `{"a":[1]}`},
	} {
		document, _ := loosejson.Decode(test.document)
		value, _ := loosejson.Decode(test.value)
		got, err := json.Marshal(new(jsonpatch.Patcher).Apply(document, test.path, test.op, value))
		if err != nil || string(got) != test.want {
			t.Errorf("%s %s %s to %s is %s, want %s (%v)", test.op, test.path, test.value, test.document, got, test.want, err)
		}
	}
}

func TestAppendedText(t *testing.T) {
	t.Parallel()
	var p jsonpatch.Patcher
	var document any = map[string]any{"a": "x"}
	for range 3 {
		document = p.Apply(document, "/a", "append", "y")
	}
	if got := loosejson.AsText(loosejson.AsObject(document)["a"]); got != "xyyy" {
		t.Errorf("the text is %q", got)
	}
}

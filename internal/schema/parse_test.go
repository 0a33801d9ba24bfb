package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/schema"
)

// problems returns the details of a validation error.
func problems(t *testing.T, err error) []earshot.FieldProblem {
	t.Helper()
	var e *earshot.Error
	if !errors.As(err, &e) || e.Code != earshot.CodeValidation {
		t.Fatalf("got %v, want a validation error", err)
	}
	list, ok := e.Details.([]earshot.FieldProblem)
	if !ok || len(list) == 0 {
		t.Fatalf("the details are %#v", e.Details)
	}
	return list
}

func TestParseRejectsInvalidBodies(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty":              "",
		"white space":        " \n\t ",
		"a word":             "true",
		"an array":           "[]",
		"a lone brace":       "{",
		"cut off":            `{"prompt":"x`,
		"two documents":      `{} {}`,
		"trailing garbage":   `{}x`,
		"a byte order mark":  "\ufeff{}",
		"a comment":          `{/*c*/"a":1}`,
		"a trailing comma":   `{"a":1,}`,
		"single quotes":      `{'a':1}`,
		"not a number":       `{"a":NaN}`,
		"a lone surrogate":   `{"a":"\ud800"}`,
		"a raw tab":          "{\"a\":\"x\ty\"}",
		"stray continuation": "{\"a\":\"\x80\"}",
		"encoded surrogate":  "{\"a\":\"\xed\xa0\x80\"}",
		"33 levels":          `{"a":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}`,
		"200,000 levels":     strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000),
		"10,001 values":      `{"a":[` + strings.Repeat("{},", 10_000) + `{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Parse([]byte(body))
			if field := problems(t, err)[0].Field; field != schema.BodyField {
				t.Errorf("the problem names %q", field)
			}
		})
	}
}

func TestErrorNamesADuplicateField(t *testing.T) {
	t.Parallel()
	_, err := schema.Parse([]byte(`{"include":{"html":true,"html":false}}`))
	want := []earshot.FieldProblem{{Field: "include.html", Message: "appears more than once"}}
	if diff := cmp.Diff(want, problems(t, err)); diff != "" {
		t.Error(diff)
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	in, err := schema.Parse([]byte(`{"prompt":5,"pages":11,"inclued":{},"include":{"html":1,"x":0},"note":"a\u0000b"}`))
	if err != nil {
		t.Fatal(err)
	}
	in.Require("prompt", "country")
	in.Text("prompt", 10)
	in.String("country")
	in.Int("pages", 1, 10, 1)
	in.Text("note", 10)
	in.Object("include").Flag("html")
	want := []earshot.FieldProblem{
		{Field: "prompt", Message: "must be a string"},
		{Field: "country", Message: "is required"},
		{Field: "pages", Message: "must be an integer from 1 to 10"},
		{Field: "note", Message: "must not contain a NUL character"},
		{Field: "include.html", Message: "must be a boolean"},
		{Field: "inclued", Message: `unknown field "inclued", did you mean "include"?`},
		{Field: "include.x", Message: `unknown field "x"`},
	}
	if diff := cmp.Diff(want, problems(t, in.Err())); diff != "" {
		t.Error(diff)
	}
}

func TestReadingFields(t *testing.T) {
	t.Parallel()
	body := `{"\u0070rompt":"  line1\nline2  ","pages":3,"on":true,"payload":{"a": [1, {}]},"old":null}`
	in, err := schema.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if got := in.Text("prompt", 11); got != "line1\nline2" {
		t.Errorf("prompt is %q", got)
	}
	if got := in.Int("pages", 1, 10, 1); got != 3 {
		t.Errorf("pages is %d", got)
	}
	if got := in.Int("depth", 1, 10, 7); got != 7 {
		t.Errorf("an absent integer is %d", got)
	}
	if !in.Flag("on") || in.Flag("off") {
		t.Error("flags are wrong")
	}
	payload := in.Object("payload")
	payload.Ignore("a")
	if string(payload.Raw()) != `{"a": [1, {}]}` {
		t.Errorf("the text of payload is %s", payload.Raw())
	}
	if in.Object("missing").Raw() != nil {
		t.Error("an absent object has a text")
	}
	in.Ignore("old")
	if err := in.Err(); err != nil {
		t.Error(err)
	}
}

func TestErrorIsLimited(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&body, `"%s%d":0,`, strings.Repeat("x", 100), i)
	}
	in, err := schema.Parse([]byte("{" + strings.TrimSuffix(body.String(), ",") + "}"))
	if err != nil {
		t.Fatal(err)
	}
	list := problems(t, in.Err())
	if len(list) != 100 || len(list[0].Field) > 70 || len(list[0].Message) > 100 {
		t.Errorf("%d problems, the first %+v", len(list), list[0])
	}
}

func TestTextIsCountedInCharacters(t *testing.T) {
	t.Parallel()
	in, err := schema.Parse([]byte(`{"fits":"日本語","long":"日本語x","blank":"  "}`))
	if err != nil {
		t.Fatal(err)
	}
	in.Text("fits", 3)
	in.Text("long", 3)
	in.Text("blank", 3)
	want := []earshot.FieldProblem{
		{Field: "long", Message: "must have at most 3 characters, but has 4"},
		{Field: "blank", Message: "must not be empty"},
	}
	if diff := cmp.Diff(want, problems(t, in.Err())); diff != "" {
		t.Error(diff)
	}
}

func TestIntegersAreIntegers(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]bool{
		"2": true, "2.0": true, "2e0": true, "20E-1": true, // JSON has one kind of number
		"2.5": false, "1e400": false, "99999999999999999999": false, `"2"`: false, "null": false, "true": false,
	} {
		in, err := schema.Parse([]byte(`{"n":` + literal + `}`))
		if err != nil {
			t.Fatal(err)
		}
		n := in.Int("n", 1, 10, 1)
		if got := in.Err() == nil; got != want || want && n != 2 {
			t.Errorf("%s is an integer: %t, want %t, and its value is %d", literal, got, want, n)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"prompt":"x","include":{"html":true},"pages":1}`))
	f.Add([]byte(`{"a":[[[{}]]],"b":"\u0000"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		in, err := schema.Parse(body)
		if err != nil {
			problems(t, err)
			return
		}
		in.Text("prompt", 5)
		in.Object("include").Flag("html")
		in.Int("pages", 1, 10, 1)
		if err := in.Err(); err != nil {
			problems(t, err)
		}
	})
}

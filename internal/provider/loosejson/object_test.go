package loosejson_test

import (
	"testing"

	"earshot/internal/provider/loosejson"
)

// object decodes a JSON object.
func object(t *testing.T, data string) loosejson.Object {
	t.Helper()
	value, ok := loosejson.Decode(data)
	if o := loosejson.AsObject(value); ok && o != nil {
		return o
	}
	t.Fatalf("not an object: %s", data)
	return nil
}

func TestObject(t *testing.T) {
	t.Parallel()
	o := object(t, `{"text":" a\n b ","number":1.5,"huge":1e999,"many":1e12,"yes":true,"no":false,"object":{"text":"in"},
		"list":["a",{"name":"b"},3,{"name":""},{}],"seconds":1767312000,"moment":"2026-01-02T03:04:05Z","day":"2 January","never":-5,
		"link":"https://a.example/?utm_source=me&x=1","mail":"mailto:a@b.c"}`)
	for name, c := range map[string]struct{ got, want any }{
		"text":            {o.Text("number", "text"), "a b"},
		"no text":         {o.Text("yes", "absent"), ""},
		"amount":          {o.Amount("number"), "1.5"},
		"amount as shown": {o.Amount("absent", "text"), "a b"},
		"number":          {*o.Number("text", "number"), 1.5},
		"too large":       {o.Number("huge") == nil, true},
		"count":           {*o.Count("number"), 1},
		"no count":        {o.Count("many") == nil, true},
		"flag":            {*o.Flag("no"), false},
		"no flag":         {o.Flag("text") == nil, true},
		"is":              {o.Is("yes") && !o.Is("no") && !o.Is("text"), true},
		"object":          {o.Object("object").Text("text"), "in"},
		"no object":       {o.Object("list").Object("x").Text("y"), ""},
		"objects":         {len(o.Objects("list")), 3},
		"texts":           {len(o.Texts("list", "name")), 2},
		"seconds":         {o.Date("never", "seconds"), "2026-01-02"},
		"moment":          {o.Date("absent", "moment"), "2026-01-02"},
		"day":             {o.Date("day"), "2 January"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
	if link, ok := o.Destination([]string{"me"}, "mail", "text", "link"); !ok || link != "https://a.example/?x=1" {
		t.Errorf("destination %q", link)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "{", "{} {}", "x"} {
		if _, ok := loosejson.Decode(data); ok {
			t.Errorf("%q was accepted", data)
		}
	}
}

package answer_test

import (
	"bytes"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/answer"
)

// object decodes JSON that must be an object.
func object(t *testing.T, data string) answer.Object {
	t.Helper()
	value, ok := answer.DecodeJSON(data)
	if o := answer.AsObject(value); ok && o != nil {
		return o
	}
	t.Fatalf("no object: %s", data)
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

func TestDecodeJSONWantsOneValue(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "{", "{} {}", "x"} {
		if _, ok := answer.DecodeJSON(data); ok {
			t.Errorf("%q passes for JSON", data)
		}
	}
}

func TestThings(t *testing.T) {
	t.Parallel()
	things := answer.Things{Country: "CA", Own: []string{"me"}}
	product, ok := things.Product(object(t, `{"name":"Pot","price":"$5.00","link":"https://a.example/?utm_source=me","image":"https://a.example/p.jpg",
		"offers":[{"seller":"Shop","price":4,"available":false}],"tag":"New"}`))
	if !ok || product.Title != "Pot" || product.Price.Currency != "CAD" || product.URL != "https://a.example/" ||
		len(product.Images) != 1 || product.Tags[0] != "New" || product.Offers[0].Merchant != "Shop" || *product.Offers[0].Available {
		t.Errorf("product %+v", product)
	}
	if list := things.Products([]answer.Object{{}, {"title": 1}}); list != nil {
		t.Errorf("products without a title: %v", list)
	}
	places := things.AddPlace(nil, object(t, `{"name":"Here","coordinates":{"lat":1,"lng":2},"website":"ftp://x"}`))
	places = things.AddPlace(places, answer.Object{"address": "nameless"})
	if len(places) != 1 || *places[0].Longitude != 2 || places[0].Website != "" {
		t.Errorf("places %+v", places)
	}
	video := object(t, `{"name":"Film","url":"https://v.example/1","source":"v"}`)
	videos := things.AddVideo(things.AddVideo(nil, video), video)
	videos = things.AddVideo(videos, answer.Object{"name": "nowhere"})
	if len(videos) != 1 || videos[0].Position != 1 || videos[0].Title != "Film" {
		t.Errorf("videos %+v", videos)
	}
	if list := answer.AddNew(nil, "a", "", "b", "a"); len(list) != 2 {
		t.Errorf("texts %v", list)
	}
	entities := answer.AddEntity(answer.AddEntity(answer.AddEntity(nil, "A", ""), "A", ""), "", "brand")
	if len(entities) != 1 || entities[0] != (earshot.Entity{Name: "A", Type: "other"}) {
		t.Errorf("entities %v", entities)
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		"{\"a\":1}":                 "1 alone",
		"{\"a\":1}\r\n\n{\"a\":2}":  "1 2",
		"[{\"a\":1}, 7, {\"a\":2}]": "1 2",
		"[{\"a\":1}]":               "1",
		"{\"a\":1}\n{\"a\":":        "1",
		"event: x\ndata: {\"a\":1}\n\ndata: [DONE]\n\n": "1 done",
		"data: nonsense\n\ndata: {\"a\":2}":             "2",
		"nonsense":                                      "",
	} {
		var said []string
		err := answer.ReadPieces([]byte(document), func(p answer.Pieces) error {
			for _, o := range p.Objects {
				said = append(said, o.Amount("a"))
			}
			if p.Alone {
				said = append(said, "alone")
			}
			if p.Done {
				said = append(said, "done")
			}
			return nil
		})
		if got := strings.Join(said, " "); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", document, got, err, want)
		}
	}
	if first := answer.FirstPiece([]byte("event: x\ndata: {\"a\":1}\n\n")); first.Text("type") != "x" || first.Amount("a") != "1" {
		t.Errorf("the first piece is %v", first)
	}
	if first := answer.FirstPiece([]byte(" [ {\"a\":1}, {")); first.Amount("a") != "1" {
		t.Errorf("the first piece is %v", first)
	}
}

// TestRawAfterMark wants what stands before a document to change nothing about
// its kind.
func TestRawAfterMark(t *testing.T) {
	t.Parallel()
	raw, err := answer.RawResponse([]byte("\ufeff\n data: {}\n\ndata: x\n\n"))
	if err != nil || len(raw) != 2 || string(raw[0]) != "{}" || string(raw[1]) != `"x"` {
		t.Errorf("raw is %s, %v", raw, err)
	}
	if page := []byte("\ufeff <p>a"); !bytes.Equal(answer.CapturePage(page), page) {
		t.Error("a page is not kept as it is")
	}
}

package answer_test

import (
	"testing"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
)

// object decodes JSON, which must be an object.
func object(t *testing.T, data string) loosejson.Object {
	t.Helper()
	value, ok := loosejson.Decode(data)
	if o := loosejson.AsObject(value); ok && o != nil {
		return o
	}
	t.Fatalf("not an object: %s", data)
	return nil
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
	if list := things.Products([]loosejson.Object{{}, {"title": 1}}); list != nil {
		t.Errorf("products without a title: %v", list)
	}
	places := things.AddPlace(nil, object(t, `{"name":"Here","coordinates":{"lat":1,"lng":2},"website":"ftp://x"}`))
	places = things.AddPlace(places, loosejson.Object{"address": "nameless"})
	if len(places) != 1 || *places[0].Longitude != 2 || places[0].Website != "" {
		t.Errorf("places %+v", places)
	}
	video := object(t, `{"name":"Film","url":"https://v.example/1","source":"v"}`)
	videos := things.AddVideo(things.AddVideo(nil, video), video)
	videos = things.AddVideo(videos, loosejson.Object{"name": "nowhere"})
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

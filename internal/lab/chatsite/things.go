package chatsite

import "earshot/internal/lab/world"

// The functions here tell a thing of the world as the stream does.

func product(p world.Product) object {
	offers := make([]object, len(p.Offers))
	for i, o := range p.Offers {
		offers[i] = object{
			"merchant_name": o.Merchant, "url": tracked(o.URL), "price": o.Price,
			"shipping": o.Shipping, "condition": o.Condition, "available": o.Available,
		}
	}
	told := object{
		"id": p.ID, "title": p.Title, "url": tracked(p.URL), "description": p.Description,
		"price": p.Price, "merchant": p.Merchant,
		"rating": p.Rating.Stars, "num_reviews": p.Rating.Reviews,
		"image_urls": p.Images, "offers": offers,
	}
	if p.OldPrice != "" {
		told["list_price"] = p.OldPrice
	}
	if p.Tag != "" {
		told["featured_tag"] = p.Tag
	}
	return told
}

func places(list []world.Place) []object {
	told := make([]object, len(list))
	for i, p := range list {
		told[i] = object{
			"name": p.Name, "address": p.Address, "category": p.Category, "phone": p.Phone,
			"website_url": tracked(p.Website), "hours": p.Hours, "price_level": p.PriceLevel,
			"rating": p.Rating.Stars, "review_count": p.Rating.Reviews,
			"latitude": p.Latitude, "longitude": p.Longitude,
		}
	}
	return told
}

func videos(list []world.Video) []object {
	told := make([]object, len(list))
	for i, v := range list {
		told[i] = object{
			"title": v.Title, "url": tracked(v.URL), "platform": v.Platform, "channel": v.Channel,
			"duration": v.Duration, "date": v.Date, "thumbnail_url": v.Thumbnail,
		}
	}
	return told
}

func images(list []string) []object {
	told := make([]object, len(list))
	for i, link := range list {
		told[i] = object{"content_url": link}
	}
	return told
}

func ads(list []world.Ad) []object {
	told := make([]object, len(list))
	for i, a := range list {
		told[i] = object{
			"title": a.Title, "url": tracked(a.URL), "description": a.Description, "brand": a.Brand,
		}
		if a.Price != "" {
			told[i]["price"] = a.Price
			told[i]["merchant"] = a.Merchant
			told[i]["image_url"] = a.Image
		}
	}
	return told
}

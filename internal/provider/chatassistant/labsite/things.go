package labsite

import (
	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// The functions in this file return products, places, videos and ads in the form of the stream.

func product(p world.Product) object {
	described := object{
		"id": p.ID, "title": p.Title, "url": tracked(p.URL), "description": p.Description,
		"price": p.Price, "merchant": p.Merchant,
		"rating": p.Rating.Stars, "num_reviews": p.Rating.Reviews,
		"image_urls": p.Images,
		"offers": lab.Objects(p.Offers, func(o world.Offer) object {
			return object{
				"merchant_name": o.Merchant, "url": tracked(o.URL), "price": o.Price,
				"shipping": o.Shipping, "condition": o.Condition, "available": o.Available,
			}
		}),
	}
	if p.OldPrice != "" {
		described["list_price"] = p.OldPrice
	}
	if p.Tag != "" {
		described["featured_tag"] = p.Tag
	}
	return described
}

func place(p world.Place) object {
	return object{
		"name": p.Name, "address": p.Address, "category": p.Category, "phone": p.Phone,
		"website_url": tracked(p.Website), "hours": p.Hours, "price_level": p.PriceLevel,
		"rating": p.Rating.Stars, "review_count": p.Rating.Reviews,
		"latitude": p.Latitude, "longitude": p.Longitude,
	}
}

func video(v world.Video) object {
	return object{
		"title": v.Title, "url": tracked(v.URL), "platform": v.Platform, "channel": v.Channel,
		"duration": v.Duration, "date": v.Date, "thumbnail_url": v.Thumbnail,
	}
}

func image(link string) object { return object{"content_url": link} }

func ad(a world.Ad) object {
	described := object{"title": a.Title, "url": tracked(a.URL), "description": a.Description, "brand": a.Brand}
	if a.Price != "" {
		described["price"], described["merchant"], described["image_url"] = a.Price, a.Merchant, a.Image
	}
	return described
}

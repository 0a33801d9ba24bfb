// Command search searches the web from Germany and prints the address of the first result.
package main

import (
	"context"
	"fmt"
	"log"

	"earshot"
	"earshot/client"
)

func main() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	found, _, err := c.WebSearch(context.Background(), earshot.WebSearchRequest{
		Query: "trail running shoes", Country: "DE",
		Include: earshot.WebSearchInclude{SearchOverview: &earshot.SearchOverviewInclude{}},
	}, client.IdempotencyKey("shoes-1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.OrganicResults[0].Link)
}

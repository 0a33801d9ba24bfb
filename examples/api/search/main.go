// Command search searches the web from Germany and prints the first result.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"earshot"
	"earshot/client"
)

func main() {
	c := client.New(os.Getenv("EARSHOT_URL"), os.Getenv("EARSHOT_API_KEY"))
	found, _, err := c.WebSearch(context.Background(), earshot.WebSearchRequest{
		Query: "trail running shoes", Country: "DE",
	}, client.IdempotencyKey("shoes-1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.OrganicResults[0].Title)
}

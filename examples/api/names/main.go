// Command names counts how often names of a brand occur in stored answers.
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
	tried, err := c.TryNames(context.Background(), "history", earshot.NameTrial{
		Brand: "Kestrin", Names: []earshot.BrandName{{Name: "Kestrin"}, {Name: "Kestrin Pro"}}, Limit: 200,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range tried.Names {
		fmt.Printf("%s: %d\n", name.Name, name.Hits)
	}
}

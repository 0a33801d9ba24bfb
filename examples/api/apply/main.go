// Command apply creates or changes a tracker from a file.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"earshot/client"
)

func main() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.ReadFile("sport.yaml")
	if err != nil {
		log.Fatal(err)
	}
	applied, err := c.ApplyTracker(context.Background(), "sport", file, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: version %d\n", applied.Tracker.Name, applied.Tracker.Version)
}

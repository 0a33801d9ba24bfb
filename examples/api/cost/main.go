// Command cost prints the maximum cost of a tracker without changing it.
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
	planned, err := c.ApplyTracker(context.Background(), "sport", file, true)
	if err != nil {
		log.Fatal(err)
	}
	cost := planned.Tracker.Cost
	fmt.Printf("%d credits a sweep, %d a month\n", cost.Sweep, cost.Month)
}

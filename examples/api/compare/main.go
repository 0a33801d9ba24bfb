// Command compare reports whether the visibility of a brand changed.
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
	report, err := c.CompareTracker(context.Background(), "history", earshot.CompareQuery{
		Metric: "visibility", Having: "brand:Ollaro",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range report.Rows {
		fmt.Printf("%s: %s\n", row.Verdict, row.Summary)
	}
}

// Command sources prints the most cited domains, on all targets and on each.
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
	report, err := c.TrackerSources(context.Background(), "history", earshot.SourceQuery{By: "domain", Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range report.Rows {
		fmt.Printf("%s %s (%s): %d\n", row.Target, row.Domain, row.Type, row.Citations)
	}
}

// Command metrics prints the visibility of each brand with its interval.
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
	report, err := c.TrackerMetrics(context.Background(), "history", earshot.MetricQuery{Metric: "visibility", By: "brand"})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range report.Rows {
		interval := row.Interval.Rerun
		fmt.Printf("%s: %.0f%%, %.0f%% to %.0f%%\n", row.Brand, 100**row.Value, 100*interval[0], 100*interval[1])
	}
}

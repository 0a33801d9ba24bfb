// Command report writes a report on the last 28 days to a file.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"earshot"
	"earshot/client"
)

func main() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	report, err := c.Report(context.Background(), "history", earshot.ReportQuery{Format: "md"})
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.Create("report.md")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(file, report); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}

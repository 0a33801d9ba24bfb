// Command export writes the mentions of brands to a CSV file.
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
	table, err := c.Export(context.Background(), "history", earshot.ExportQuery{Table: "mentions", Format: "csv"})
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.Create("mentions.csv")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(file, table); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}

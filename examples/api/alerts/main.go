// Command alerts lists the open alerts of a tracker.
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
	for alert, err := range c.Alerts(context.Background(), "history", earshot.AlertQuery{Open: true}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(alert.Summary)
	}
}

// Command share creates a link that shows the report of a tracker for 30 days.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"earshot"
	"earshot/client"
)

func main() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	link, err := c.CreateShare(context.Background(), earshot.ShareRequest{
		Tracker: "board", Days: 28, ExpiresAt: time.Now().AddDate(0, 0, 30), Password: "a long one",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(link.URL)
}

// Command deliveries sends a test to a webhook receiver and prints the newest delivery.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"earshot/client"
)

func main() {
	ctx := context.Background()
	admin := client.New(os.Getenv("EARSHOT_URL"), os.Getenv("ADMIN_KEY"))
	test, err := admin.TestWebhook(ctx, os.Getenv("HOOK_URL"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*test.Status)
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	for delivery, err := range c.Deliveries(ctx, "") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(delivery.URL)
		break
	}
}

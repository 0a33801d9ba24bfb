// Command webhook queues a task whose end is sent to HOOK_URL.
package main

import (
	"context"
	"fmt"
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
	task := earshot.NewTask(earshot.ChatAssistantRequest{Prompt: "best running shoes", Country: "DE"})
	task.Webhook = &earshot.WebhookRequest{URL: os.Getenv("HOOK_URL")}
	queued, err := c.Submit(context.Background(), task)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(queued.Task.Status)
}

// Command task queues a task, waits for its end and prints the answer.
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
	ctx := context.Background()
	task := earshot.NewTask(earshot.ChatAssistantRequest{Prompt: "best running shoes", Country: "DE"})
	task.Priority = 5
	task.IdempotencyKey = "shoes-de-1"
	queued, err := c.Submit(ctx, task)
	if err != nil {
		log.Fatal(err)
	}
	ended, err := c.Wait(ctx, queued.Task.ID)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := client.Result[earshot.Answer](ended)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ended.Task.Status)
	fmt.Println(answer.Text)
}

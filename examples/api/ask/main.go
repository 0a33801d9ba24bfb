// Command ask asks ChatGPT from the United States and prints the answer.
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
	answer, _, err := c.ChatAssistant(context.Background(), earshot.ChatAssistantRequest{
		Prompt: "best running shoes", Country: "US",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Surface)
	fmt.Println(answer.Text)
}

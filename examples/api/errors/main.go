// Command errors makes three mistakes and prints the codes of their errors.
package main

import (
	"context"
	"errors"
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
	ctx := context.Background()
	_, _, err = c.ChatAssistant(ctx, earshot.ChatAssistantRequest{Prompt: "best running shoes", Country: "usa"})
	printCode(err)
	wrong := client.New(os.Getenv("EARSHOT_URL"), "ear_live_wrong")
	_, _, err = wrong.ChatAssistant(ctx, earshot.ChatAssistantRequest{Prompt: "best running shoes", Country: "US"})
	printCode(err)
	_, err = c.Tracker(ctx, "nobody")
	printCode(err)
}

func printCode(err error) {
	if refused := (*client.Error)(nil); errors.As(err, &refused) {
		fmt.Println(refused.Code)
	}
}

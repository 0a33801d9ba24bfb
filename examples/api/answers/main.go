// Command answers lists the newest answers of one target.
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
	var query earshot.AnswerQuery
	query.Target = "chatassistant/US"
	query.Outcome = earshot.OutcomeAnswered
	listed := 0
	for answer, err := range c.Answers(context.Background(), "history", query) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.ID, answer.Prompt)
		if listed++; listed == 3 {
			break
		}
	}
}

// Command webhooks receives webhooks and prints the tasks that ended.
package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"earshot/client"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "9000"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := http.Server{Handler: receive(os.Getenv("EARSHOT_WEBHOOK_SECRET")), ReadTimeout: time.Minute}
	log.Fatal(server.Serve(listener))
}

func receive(secret string) http.HandlerFunc {
	var seen sync.Map // in production, a table that survives a restart
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<20))
		if err != nil {
			http.Error(w, "the body could not be read", http.StatusBadRequest)
			return
		}
		record, err := client.VerifyWebhook(r.Header, body, secret)
		if err != nil {
			http.Error(w, "the signature is not valid", http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		if _, again := seen.LoadOrStore(r.Header.Get("webhook-id"), true); !again && record.Task.ID != "" {
			fmt.Println(record.Task.ID, record.Task.Status)
		}
	}
}

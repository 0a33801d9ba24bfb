// Code that verifies the signature of a webhook.
import { CodeBox, Tabs } from "../ui";

const snippets: Record<string, string> = {
  Go: `// go get github.com/standard-webhooks/standard-webhooks/libraries
import standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil || webhook.Verify(body, r.Header) != nil {
		http.Error(w, "not signed", http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusNoContent) // body is genuine
}`,
  Python: `# pip install standardwebhooks flask
import os
from flask import Flask, request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])

@app.post("/earshot")
def receive():
    try:
        event = webhook.verify(request.get_data(), dict(request.headers))
    except WebhookVerificationError:
        return "not signed", 401
    return "", 204  # event is genuine`,
  JavaScript: `// npm install standardwebhooks express
import express from "express";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

express().post("/earshot", express.raw({ type: "*/*" }), (request, response) => {
  try {
    const event = webhook.verify(request.body, request.headers);
    response.sendStatus(204); // event is genuine
  } catch {
    response.sendStatus(401);
  }
}).listen(8000);`,
};

export function Verify() {
  const tabs = Object.entries(snippets).map(([name, code]) => ({ name, content: () => <CodeBox code={code} /> }));
  return (
    <>
      <h3>Verify signatures</h3>
      <p class="faint">
        Signatures follow the Standard Webhooks specification. Verify the raw body, respond with a 2xx status, and
        ignore repeated <code>webhook-id</code> values.
      </p>
      <Tabs tabs={tabs} label="Language" />
    </>
  );
}

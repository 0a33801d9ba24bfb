import { createHmac, timingSafeEqual } from "node:crypto";
import {
  type IDataObject,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from "n8n-workflow";

export class EarshotTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Earshot Trigger",
    name: "earshotTrigger",
    icon: "file:earshot.svg",
    group: ["trigger"],
    version: 1,
    subtitle: '={{ $parameter.events.join(", ") }}',
    description: "Starts a workflow when Earshot sends a webhook",
    defaults: { name: "Earshot Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "earshotApi", required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" }],
    properties: [
      {
        displayName:
          "Give the webhook URL of this node to Earshot: as webhook URL of a task, as webhook.url of a tracker, " +
          "or as a channel of kind webhook for alerts and reports.",
        name: "notice",
        type: "notice",
        default: "",
      },
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        required: true,
        default: ["task.finished", "sweep.completed", "alert.raised", "report.made"],
        options: [
          { name: "Alert Raised", value: "alert.raised" },
          { name: "Report Made", value: "report.made" },
          { name: "Sweep Completed", value: "sweep.completed" },
          { name: "Sweep Skipped", value: "sweep.skipped" },
          { name: "Task Finished", value: "task.finished" },
          { name: "Test", value: "test", description: "A test of a webhook or of a channel" },
        ],
        description: "Other events are acknowledged and ignored",
      },
    ],
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { webhookSecret = "" } = await this.getCredentials<{ webhookSecret?: string }>("earshotApi");
    const { rawBody } = this.getRequestObject();
    const headers = this.getHeaderData();
    if (!verify(webhookSecret, headers, rawBody)) {
      this.getResponseObject().status(401).json({ error: "The signature is not valid." });
      return { noWebhookResponse: true };
    }
    const body = JSON.parse(rawBody.toString()) as IDataObject;
    const event = eventOf(body);
    if (!(this.getNodeParameter("events") as string[]).includes(event)) return { webhookResponse: "ignored" };
    const webhookId = headers["webhook-id"] as string;
    return { workflowData: [this.helpers.returnJsonArray({ event, webhookId, ...body })] };
  }
}

type Headers = ReturnType<IWebhookFunctions["getHeaderData"]>;

/** Returns the kind of an event. The bodies of tasks and of tests of webhooks have no type. */
function eventOf(body: IDataObject): string {
  if (body.task) return "task.finished";
  return body.type === "alert.test" || body.test ? "test" : (body.type as string);
}

/** Reports whether the secret signed the body within the last five minutes, as in Standard Webhooks. */
function verify(secret: string, headers: Headers, body: Buffer): boolean {
  // Anybody can sign with an empty secret.
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const sent = headers["webhook-timestamp"];
  if (key.length === 0 || !(Math.abs(Date.now() / 1000 - Number(sent)) <= 300)) return false;
  const signed = createHmac("sha256", key).update(`${headers["webhook-id"]}.${sent}.`).update(body);
  const want = Buffer.from(`v1,${signed.digest("base64")}`);
  return String(headers["webhook-signature"])
    .split(" ")
    .some((signature) => {
      const got = Buffer.from(signature);
      return got.length === want.length && timingSafeEqual(got, want);
    });
}

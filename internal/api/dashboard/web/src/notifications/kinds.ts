// The kinds of notification channels: where people find the address or key, and the fields of each kind.
import type { ChannelKind, ChannelRequest } from "earshot";

interface ChannelField {
  name: Exclude<keyof ChannelRequest, "kind">;
  label: string;
  placeholder?: string;
  optional?: boolean;
}

interface Kind {
  title: string;
  steps: string;
  fields: ChannelField[];
}

const webhookURL = (placeholder: string): ChannelField[] => [{ name: "url", label: "Webhook URL", placeholder }];

export const channelKinds: Record<ChannelKind, Kind> = {
  slack: {
    title: "Slack",
    steps: "In Slack: Apps → Incoming Webhooks → Add to Slack, choose a channel, and copy the webhook URL.",
    fields: webhookURL("https://hooks.slack.com/services/…"),
  },
  teams: {
    title: "Microsoft Teams",
    steps:
      "In Teams: the … of a channel → Workflows → the template that posts to a channel when a webhook request is " +
      "received, then copy the URL.",
    fields: webhookURL("https://….logic.azure.com/workflows/…"),
  },
  discord: {
    title: "Discord",
    steps: "In Discord: Edit channel → Integrations → Webhooks → New webhook → Copy webhook URL.",
    fields: webhookURL("https://discord.com/api/webhooks/…"),
  },
  telegram: {
    title: "Telegram",
    steps:
      "In Telegram: send /newbot to @BotFather and copy the token. Add the bot to the chat. The chat ID is the @name " +
      "of a public channel, or the number of the chat in the bot's getUpdates.",
    fields: [
      { name: "botToken", label: "Bot token", placeholder: "123456789:AA…" },
      { name: "chatId", label: "Chat ID", placeholder: "-1001234567890" },
      { name: "url", label: "Bot API server", placeholder: "https://api.telegram.org", optional: true },
    ],
  },
  pagerduty: {
    title: "PagerDuty",
    steps:
      "In PagerDuty: Services → your service → Integrations → Add an integration → Events API V2, and copy the " +
      "integration key. Each alert opens an incident, and acknowledging the alert resolves it. A test opens an " +
      "incident too.",
    fields: [
      { name: "routingKey", label: "Integration key", placeholder: "32 letters and digits" },
      {
        name: "url",
        label: "Endpoint of another region, such as the EU",
        placeholder: "https://events.eu.pagerduty.com/v2/enqueue",
        optional: true,
      },
    ],
  },
  mail: {
    title: "Email",
    steps: "Up to 10 addresses, separated by commas. The server needs an SMTP server.",
    fields: [{ name: "to", label: "Addresses", placeholder: "ada@example.com, bob@example.com" }],
  },
  webhook: {
    title: "Webhook",
    steps: "Your own program. Messages are JSON and signed with the secret on the page “Keys and webhooks”.",
    fields: webhookURL("https://"),
  },
};

/** Returns the request of a form: only the fields of its kind, without empty ones. */
export function channelRequest(kind: ChannelKind, values: Record<string, string>): ChannelRequest {
  const given = channelKinds[kind].fields.flatMap(({ name }) => {
    const text = (values[name] ?? "").trim();
    if (!text) return [];
    return [[name, name === "to" ? text.split(/[\s,;]+/).filter(Boolean) : text]];
  });
  return { kind, ...Object.fromEntries(given) };
}

/** Returns a name that no channel has: the kind, and a number if that is taken. */
export function freeName(kind: ChannelKind, taken: string[]): string {
  let name: string = kind;
  for (let n = 2; taken.includes(name); n++) name = `${kind}-${n}`;
  return name;
}

import type { IDisplayOptions, INodeProperties } from "n8n-workflow";
import { providers, queries } from "./api.gen";

interface Field {
  name: string;
  type: string;
  description?: string;
  options?: string[];
}

/** Returns a label such as "Disable Web Search" for disableWebSearch. */
function label(name: string): string {
  const words = name.replace(/[A-Z]/g, " $&").replace(/\./g, " ").split(" ");
  return words
    .map((word) => (/^(html|hl|uule)$/.test(word) ? word.toUpperCase() : word[0].toUpperCase() + word.slice(1)))
    .join(" ");
}

/** Returns the parameter for a field of the API. */
function property({ name, type, description, options }: Field): INodeProperties {
  const common = { displayName: label(name), name, description };
  if (options) {
    return {
      ...common,
      type: "options",
      options: options.map((value) => ({ name: value, value })),
      default: options[0],
    };
  }
  if (type === "boolean") return { ...common, type: "boolean", default: true };
  if (type === "integer") return { ...common, type: "number", default: 1 };
  return { ...common, type: "string", default: "" };
}

/** Returns the parameter for optional fields of the API. */
function options(fields: Field[], show: IDisplayOptions["show"]): INodeProperties {
  return {
    displayName: "Options",
    name: "options",
    type: "collection",
    placeholder: "Add Option",
    default: {},
    displayOptions: { show },
    options: fields.map(property),
  };
}

const asking = { resource: ["ask", "task"], operation: ["ask", "submit"] };

const provider: INodeProperties[] = [
  {
    displayName: "Provider",
    name: "provider",
    type: "options",
    options: providers.map(({ name, summary }) => ({
      name: summary.replace(/^\w+ (the |an? )?./, (start) => start.slice(-1).toUpperCase()),
      value: name,
    })),
    default: providers[0].name,
    displayOptions: { show: asking },
  },
  {
    displayName: "Prompt",
    name: "prompt",
    type: "string",
    typeOptions: { rows: 3 },
    default: "",
    required: true,
    description: "The prompt, or the query of a search",
    displayOptions: { show: asking },
  },
  {
    displayName: "Country",
    name: "country",
    type: "string",
    default: "US",
    placeholder: "DE",
    description: "The two-letter code of the country to ask from. Some providers, such as searches, need none.",
    displayOptions: { show: asking },
  },
  ...providers.flatMap(({ name, fields, include }: { name: string; fields: Field[]; include: Field[] }) => {
    const show = { ...asking, provider: [name] };
    const included: INodeProperties = {
      displayName: "Include",
      name: "include",
      type: "multiOptions",
      default: [],
      description: "Optional parts of the result; some cost extra credits",
      options: include.map((field) => ({ name: label(field.name), value: field.name, description: field.description })),
      displayOptions: { show },
    };
    return [included, options(fields, show)];
  }),
  {
    displayName: "Idempotency Key",
    name: "idempotencyKey",
    type: "string",
    default: "",
    description:
      "A request with a key that was used before is not run and charged again. Leave empty to use a key that is " +
      "the same when n8n retries this node within one execution.",
    displayOptions: { show: { resource: ["ask", "task", "tracker"], operation: ["ask", "submit", "runSweep"] } },
  },
];

const task: INodeProperties[] = [
  {
    displayName: "Task Settings",
    name: "taskSettings",
    type: "collection",
    placeholder: "Add Setting",
    default: {},
    displayOptions: { show: { resource: ["task"], operation: ["submit"] } },
    options: [
      {
        displayName: "Priority",
        name: "priority",
        type: "number",
        typeOptions: { minValue: 1, maxValue: 10 },
        default: 1,
        description: "Tasks with a higher priority run first",
      },
      {
        displayName: "Webhook URL",
        name: "webhookUrl",
        type: "string",
        default: "",
        description: "Where to send a webhook when the task ends, such as the URL of an Earshot Trigger node",
      },
    ],
  },
  {
    displayName: "Task ID",
    name: "taskId",
    type: "string",
    default: "={{ $json.task.id }}",
    required: true,
    displayOptions: { show: { resource: ["task"], operation: ["get", "wait"] } },
  },
  {
    displayName: "Timeout (Seconds)",
    name: "timeout",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 600,
    description: "How long to wait for the end of the task",
    displayOptions: { show: { resource: ["task"], operation: ["wait"] } },
  },
];

/** Returns the parameter for the tracker of an operation. */
function trackerName(show: IDisplayOptions["show"]): INodeProperties {
  return {
    displayName: "Tracker Name or ID",
    name: "tracker",
    type: "options",
    typeOptions: { loadOptionsMethod: "getTrackers" },
    default: "",
    required: true,
    description:
      'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    displayOptions: { show },
  };
}

const applying = { resource: ["tracker"], operation: ["apply"] };

const tracker: INodeProperties[] = [
  trackerName({ resource: ["tracker"], operation: ["compare", "export", "metrics", "runSweep"] }),
  {
    displayName: "Tracker Name",
    name: "name",
    type: "string",
    default: "",
    required: true,
    description: "The name of the tracker to create or change",
    displayOptions: { show: applying },
  },
  {
    displayName: "Definition",
    name: "definition",
    type: "string",
    typeOptions: { rows: 10 },
    default: "",
    required: true,
    description: "The tracker file, as YAML or JSON",
    displayOptions: { show: applying },
  },
  {
    displayName: "Dry Run",
    name: "dryRun",
    type: "boolean",
    default: false,
    description: "Whether to report the changes without applying them",
    displayOptions: { show: applying },
  },
  ...(["metrics", "compare"] as const).map((name) =>
    options(queries[name], { resource: ["tracker"], operation: [name] }),
  ),
  // The rows are always read as NDJSON.
  options(
    queries.export.filter(({ name }) => name !== "format"),
    { resource: ["tracker"], operation: ["export"] },
  ),
];

const alert: INodeProperties[] = [
  trackerName({ resource: ["alert"] }),
  {
    displayName: "Alert ID",
    name: "alertId",
    type: "string",
    default: "={{ $json.id }}",
    required: true,
    displayOptions: { show: { resource: ["alert"], operation: ["acknowledge"] } },
  },
  options(
    queries.alerts.filter(({ name }) => name !== "cursor"),
    { resource: ["alert"], operation: ["getAll"] },
  ),
];

/** Returns the parameter for the operation of a resource. Each operation has a value, a name and an action. */
function operations(resource: string, ...all: Array<[value: string, name: string, action: string]>): INodeProperties {
  return {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    options: all.map(([value, name, action]) => ({ name, value, action, description: action })),
    default: all[0][0],
  };
}

export const properties: INodeProperties[] = [
  {
    displayName: "Resource",
    name: "resource",
    type: "options",
    noDataExpression: true,
    options: [
      { name: "Alert", value: "alert" },
      { name: "Ask", value: "ask" },
      { name: "Task", value: "task" },
      { name: "Tracker", value: "tracker" },
    ],
    default: "ask",
  },
  operations("ask", ["ask", "Ask", "Ask a provider and wait for the answer"]),
  operations(
    "task",
    ["submit", "Submit", "Submit a task to the queue"],
    ["get", "Get", "Get a task"],
    ["wait", "Wait", "Wait for the end of a task"],
  ),
  operations(
    "tracker",
    ["metrics", "Get Metrics", "Get metrics of a tracker"],
    ["compare", "Compare", "Compare two periods of a tracker"],
    ["export", "Export Rows", "Export rows of a tracker"],
    ["runSweep", "Run Sweep", "Run a sweep of a tracker"],
    ["apply", "Apply", "Create or change a tracker"],
    ["getAll", "Get Many", "Get many trackers"],
  ),
  operations(
    "alert",
    ["getAll", "Get Many", "Get many alerts of a tracker"],
    ["acknowledge", "Acknowledge", "Acknowledge an alert"],
  ),
  ...provider,
  ...task,
  ...tracker,
  ...alert,
];

// Problems of a tracker's settings in words: the API names fields by their paths, people by their labels.
import type { FieldProblem, TrackerDefinition } from "earshot";

/** The labels of fields, by their paths without indexes. */
const labels: Record<string, string> = {
  name: "The ID",
  title: "The name",
  brands: "The list of brands",
  "brands[]": "Brand",
  "brands[].name": "The name of brand",
  "brands[].domains": "The website of brand",
  "brands[].aliases": "An alternative name of brand",
  "brands[].match": "The matching rules of brand",
  prompts: "The list of prompts",
  "prompts[]": "Prompt",
  "prompts[].text": "The text of prompt",
  "prompts[].tags": "A tag of prompt",
  "prompts[].weight": "The weight of prompt",
  "prompts[].language": "The language of prompt",
  targets: "The list of targets",
  "targets[]": "Target",
  "targets[].provider": "The platform of target",
  "targets[].country": "The country of target",
  "targets[].state": "The state of target",
  "targets[].device": "The device of target",
  "targets[].language": "The language of target",
  "targets[].options": "The options of target",
  schedule: "The schedule",
  "schedule.every": "The frequency",
  "schedule.at": "The time of day",
  "schedule.cron": "The cron expression",
  "schedule.timezone": "The time zone",
  "schedule.within": "The time window",
  samples: "The number of samples",
  ceiling: "The monthly budget",
  keep: "The retention period",
  alerts: "The alert settings",
  "alerts.falseAlarmsPerYear": "The alert sensitivity",
  "alerts.channels": "A notification channel",
  reports: "The scheduled report",
  exports: "The scheduled export",
  sources: "The list of source types",
  "sources[]": "Source type",
  "sources[].domain": "The domain of source type",
};

/** Returns the label of a field, from the longest known beginning of its path, and the number or name of its row. */
function labelOf(field: string, definition?: TrackerDefinition): string {
  const [, list = "", index = ""] = field.match(/^(\w+)\[(\d+)\]/) ?? [];
  let path = field.replace(/\[\d+\]/, "[]").replace(/\[\d+\].*$/, "");
  while (path && !Object.hasOwn(labels, path)) path = path.replace(/\.?[^.]*$/, "");
  if (!path) return `The setting ${field}`;
  const row = list === "brands" ? definition?.brands?.[Number(index)]?.name : "";
  return index ? `${labels[path]} ${row || Number(index) + 1}` : labels[path];
}

/** Returns a problem as a sentence: "The website of brand Ollaro must be a domain such as ollaro.example". */
export function problemText({ field, message, line }: FieldProblem, definition?: TrackerDefinition): string {
  const words = message.replace(/(brands|prompts|targets|sources)\[\d+\]/g, (path) => {
    const label = labelOf(path, definition);
    return label.charAt(0).toLowerCase() + label.slice(1);
  });
  const text = `${field === "body" ? "The text" : labelOf(field, definition)} ${words}`;
  return line === undefined ? text : `Line ${line}: ${text}`;
}

// Writes a definition as YAML. Parsing YAML is the server's job.

/** Strings that YAML reads without quotes: they begin with a letter and have no special characters. */
const plain = /^[A-Za-z][\w .,?!'()/+&%-]*$/;
const reserved = /^(true|false|null|yes|no|on|off|y|n|inf|nan)$/i;

const scalar = (value: unknown) =>
  typeof value === "string" && plain.test(value) && !reserved.test(value) && !value.endsWith(" ")
    ? value
    : JSON.stringify(value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const given = (value: Record<string, unknown>) => Object.entries(value).filter(([, v]) => v !== undefined);

/** Returns the lines of a value in YAML. */
function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) =>
      isCompound(item) ? linesOf(item).map((line, i) => (i ? "  " : "- ") + line) : [`- ${scalar(item)}`],
    );
  }
  if (!isObject(value)) return [scalar(value)];
  return given(value).flatMap(([name, inner]) => {
    if (!isCompound(inner)) return [`${scalar(name)}: ${empty(inner) ?? scalar(inner)}`];
    return [`${scalar(name)}:`, ...linesOf(inner).map((line) => `  ${line}`)];
  });
}

const empty = (value: unknown) => (Array.isArray(value) ? "[]" : isObject(value) ? "{}" : undefined);

/** Reports whether a value has lines of its own. */
const isCompound = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && given(value).length > 0;

export const toYAML = (value: object) => linesOf(value).join("\n") + "\n";

/** Returns the name in a definition, or "" if it cannot be found without parsing all of it. */
export function nameIn(text: string): string {
  try {
    return String(JSON.parse(text).name ?? "");
  } catch {
    return text.match(/^name\s*:\s*["']?([a-z0-9_-]+)/m)?.[1] ?? "";
  }
}

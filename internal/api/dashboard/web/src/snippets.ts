// A request as code in several languages. The code reads the key from the environment.

/** What the code of a request depends on. */
export interface Call {
  method: string;
  url: string;
  body?: unknown;
  needsKey: boolean;
  isStream: boolean;
  isJSON: boolean;
}

export interface Snippet {
  language: string;
  code: string;
}

export function codeFor(call: Call): Snippet[] {
  return [
    { language: "curl", code: curl(call) },
    { language: "Go", code: golang(call) },
    { language: "Python", code: python(call) },
    { language: "JavaScript", code: javascript(call) },
  ];
}

const indent = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);
const json = (value: unknown) => JSON.stringify(value, null, 2);
const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join("\n");

function curl({ method, url, body, needsKey, isStream }: Call): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${isStream ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}${quote(url)}`,
    ...(needsKey ? ['-H "Authorization: Bearer $EARSHOT_API_KEY"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(json(body))}`]),
  ].join(" \\\n  ");
}

function golang({ method, url, body, needsKey, isStream }: Call): string {
  const text = json(body);
  const literal = body !== undefined && (text.includes("`") ? JSON.stringify(text) : "`" + text + "`");
  const call = [JSON.stringify(method), JSON.stringify(url), literal !== false ? "body" : "nil"].join(", ");
  return lines(
    "package main\n",
    "import (",
    '\t"io"',
    '\t"log"',
    '\t"net/http"',
    '\t"os"',
    literal !== false && '\t"strings"',
    ")\n",
    "func main() {",
    literal !== false && `\tbody := strings.NewReader(${literal})`,
    `\treq, err := http.NewRequest(${call})`,
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    needsKey && '\treq.Header.Set("Authorization", "Bearer "+os.Getenv("EARSHOT_API_KEY"))',
    literal !== false && '\treq.Header.Set("Content-Type", "application/json")',
    "\tresp, err := http.DefaultClient.Do(req)",
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "\tdefer resp.Body.Close()",
    isStream && "\t// The events arrive one by one until the connection is closed.",
    "\tio.Copy(os.Stdout, resp.Body)",
    "}",
  );
}

function python({ method, url, body, needsKey, isStream, isJSON }: Call): string {
  return lines(
    needsKey && "import os\n",
    "import requests\n",
    "response = requests.request(",
    `    ${JSON.stringify(method)},`,
    `    ${JSON.stringify(url)},`,
    needsKey && `    headers={"Authorization": f"Bearer {os.environ['EARSHOT_API_KEY']}"},`,
    body !== undefined && `    json=${indent(pythonValue(body), "    ")},`,
    isStream && "    stream=True,",
    ")",
    isStream
      ? "for line in response.iter_lines(decode_unicode=True):\n    print(line)"
      : `print(response.${isJSON ? "json()" : "text"})`,
  );
}

/** Returns a JSON value as a Python literal: true, false and null have other names. */
function pythonValue(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [start, end, parts] = Array.isArray(value)
    ? ["[", "]", value.map(pythonValue)]
    : ["{", "}", Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonValue(one)}`)];
  return parts.length
    ? `${start}\n${parts.map((part) => `    ${indent(part, "    ")},\n`).join("")}${end}`
    : start + end;
}

function javascript({ method, url, body, needsKey, isStream, isJSON }: Call): string {
  const headers = [
    needsKey && "Authorization: `Bearer ${process.env.EARSHOT_API_KEY}`",
    body !== undefined && '"Content-Type": "application/json"',
  ].filter(Boolean);
  const call = lines(
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    headers.length > 0 && `  headers: { ${headers.join(", ")} },`,
    body !== undefined && `  body: JSON.stringify(${indent(json(body), "  ")}),`,
    "});",
  );
  if (isStream)
    return `${call}\nfor await (const part of response.body.pipeThrough(new TextDecoderStream())) console.log(part);`;
  return `${call}\nconsole.log(await response.${isJSON ? "json" : "text"}());`;
}

// Renders Markdown of unknown origin: HTML stays text, and links go through External.
import type { ComponentChildren } from "preact";
import { lexer, walkTokens, type Token, type Tokens } from "marked";
import { External } from "../external";

/** Renders a link; returns undefined for an ordinary link. */
type LinkView = (href: string, children: ComponentChildren) => ComponentChildren;

const maxText = 200_000;
const maxDepth = 24;

/** Matches deeply nested lists and quotes, which would take the lexer very long. */
const nestsTooDeep =
  /^(?:(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}|[ \t]{80,}(?:[-*+]|\d{1,9}[.)])[ \t])/m;

/** The most emphasis marks in a paragraph. The lexer compares each with every other. */
const maxMarks = 4000;
const isCrowded = (text: string) =>
  text.split(/\n\s*\n/).some((part) => (part.match(/[*_~]/g)?.length ?? 0) > maxMarks);

/** Returns the tokens of a text; undefined if the text is too large or too deeply nested. */
export function tokensOf(text: string): Token[] | undefined {
  if (text.length > maxText || nestsTooDeep.test(text) || isCrowded(text)) return undefined;
  try {
    return lexer(text);
  } catch {
    return undefined;
  }
}

/** Returns the URLs of all links. */
export function linksOf(tokens: Token[]): string[] {
  const links: string[] = [];
  walkTokens(tokens, (token) => {
    if (token.type === "link") links.push(decode(token.href));
  });
  return links;
}

/** Markdown; plain paragraphs if it cannot be parsed. */
export function Markdown({ text, link }: { text: string; link?: LinkView }) {
  const tokens = tokensOf(text);
  return tokens ? <TokenView tokens={tokens} link={link} /> : <Paragraphs text={text} />;
}

/** Parsed Markdown. */
export function TokenView({ tokens, link }: { tokens: Token[]; link?: LinkView }) {
  return <div class="prose">{blocks(tokens, { link, depth: 0 })}</div>;
}

/** Plain text in paragraphs. */
export function Paragraphs({ text }: { text: string }) {
  return (
    <div class="prose plain">
      {text.split(/\n{2,}/).map((part, i) => (
        <p key={i}>{part}</p>
      ))}
    </div>
  );
}

/** One line of Markdown, such as a field's description. */
export function Line({ text, link }: { text: string; link?: LinkView }) {
  const [first] = tokensOf(text) ?? [];
  return <>{first && "tokens" in first ? inlines(first.tokens, { link, depth: 0 }) : text}</>;
}

interface Place {
  link?: LinkView;
  depth: number;
}

const deeper = (at: Place): Place => ({ ...at, depth: at.depth + 1 });

function blocks(tokens: Token[], at: Place): ComponentChildren {
  if (at.depth > maxDepth) return tokens.map((token) => token.raw).join("");
  return tokens.map((token) => block(token, deeper(at)));
}

function block(token: Token, at: Place): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "heading":
      return heading(token as Tokens.Heading, at);
    case "paragraph":
      return <p>{inlines(token.tokens, at)}</p>;
    case "code":
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], at)}</blockquote>;
    case "list":
      return list(token as Tokens.List, at);
    case "table":
      return table(token as Tokens.Table, at);
    case "html":
      return <p>{token.raw.trim()}</p>;
    default:
      return inline(token, at);
  }
}

/** Headings of an answer are all on one level below the headings of the page, so that no level is skipped. */
function heading({ tokens }: Tokens.Heading, at: Place) {
  return <h3>{inlines(tokens, at)}</h3>;
}

function list({ ordered, start, items }: Tokens.List, at: Place) {
  const children = items.map((item, i) => <li key={i}>{blocks(item.tokens, at)}</li>);
  return ordered ? <ol start={start === "" ? 1 : start}>{children}</ol> : <ul>{children}</ul>;
}

function table({ header, rows }: Tokens.Table, at: Place) {
  const cell =
    (Cell: "th" | "td") =>
    ({ tokens, align }: Tokens.TableCell, i: number) => (
      <Cell key={i} class={align === "right" ? "number" : undefined}>
        {inlines(tokens, at)}
      </Cell>
    );
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>{header.map(cell("th"))}</tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>{row.map(cell("td"))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlines(tokens: Token[] | undefined, at: Place): ComponentChildren {
  if (!tokens || at.depth > maxDepth) return tokens?.map((token) => token.raw).join("");
  return unbracketed(tokens, at).map((token) => inline(token, deeper(at)));
}

/** Removes the brackets around, and the commas between, links with a view of their own: ([a](…), [b](…)). */
function unbracketed(tokens: Token[], at: Place): Token[] {
  const special = (token: Token | undefined) => token?.type === "link" && !!at.link?.(decode(token.href), null);
  const tidied = [...tokens];
  for (let i = 0; i < tokens.length; i++) {
    if (!isText(tokens[i], /\($/) || !special(tokens[i + 1])) continue;
    let end = i + 2;
    while (isText(tokens[end], /^[,;]?\s*$/) && special(tokens[end + 1])) end += 2;
    if (!isText(tokens[end], /^\)/)) continue;
    tidied[i] = words(tidied[i].raw.slice(0, -1));
    for (let between = i + 2; between < end; between += 2) tidied[between] = words(" ");
    tidied[end] = words(tokens[end].raw.slice(1));
    i = end - 1;
  }
  return tidied;
}

const isText = (token: Token | undefined, like: RegExp) => token?.type === "text" && like.test(token.raw);
const words = (text: string): Token => ({ type: "text", raw: text, text });

function inline(token: Token, at: Place): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inlines(token.tokens, at)}</strong>;
    case "em":
      return <em>{inlines(token.tokens, at)}</em>;
    case "del":
      return <del>{inlines(token.tokens, at)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "checkbox":
      return <input type="checkbox" checked={token.checked} disabled />;
    case "link":
      return anchor(decode(token.href), inlines(token.tokens, at), at);
    case "image":
      return <External href={decode(token.href)}>{decode(token.text) || "image"}</External>;
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw;
    case "escape":
      return token.text;
    default:
      return "tokens" in token && token.tokens
        ? inlines(token.tokens, at)
        : decode("text" in token ? token.text : token.raw);
  }
}

function anchor(href: string, children: ComponentChildren, at: Place) {
  return at.link?.(href, children) ?? <External href={href}>{children}</External>;
}

const named = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
]);

/** Decodes character references such as &amp;. */
function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (reference, decimal, hex, name) => {
    if (name) return named.get(name) ?? reference;
    const point = decimal ? Number(decimal) : parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
  });
}

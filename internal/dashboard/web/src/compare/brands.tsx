// Brands to count in the answers: those of a tracker, or a list of one's own.
import { useEffect, useState } from "preact/hooks";
import { call } from "../api";
import { changeQuery, route } from "../state";
import { useLoad } from "../ui";
import { words, type Cell } from "./run";

/** A name to count, for the brand that it stands for. */
export interface Sought { brand: string; names: { text: string; exact: boolean }[] }

/** The brands that the address asks to count. */
export function useSought(): Sought[] {
  const { tracker, brands } = route.value.query;
  const { value } = useLoad(async (signal) => (tracker ? (await call("GET /v1/trackers/{name}", { params: { name: tracker }, signal })).definition?.brands ?? [] : []), [tracker]);
  if (brands) return [...new Set(brands.split(",").map((name) => name.trim()).filter(Boolean))].map((name) => ({ brand: name, names: [{ text: name, exact: false }] }));
  return (tracker && value ? value : []).map(({ name, match, aliases }) => ({
    brand: name,
    names: [{ name, match }, ...(aliases ?? []).map((alias) => (typeof alias === "string" ? { name: alias, match: undefined } : alias))].map((one) => ({ text: one.name, exact: one.match?.case === "exact" })),
  }));
}

/** The brands of an answer, each as often as it is named, in the order in which they are. */
export function brandsIn({ reply }: Cell, sought: Sought[]): { name: string }[] {
  if (!reply) return [];
  const text = words(reply.result);
  const hits = sought.flatMap(({ brand, names }) => names.flatMap(({ text: name, exact }) => [...text.matchAll(patternOf(name, exact))].map(({ index }) => ({ name: brand, index, length: name.length }))));
  hits.sort((a, b) => a.index - b.index || b.length - a.length);
  // Of names that overlap the first and longest counts.
  let end = 0;
  return hits.filter((hit) => hit.index >= end && ((end = hit.index + hit.length), true));
}

/** Whole words, in any letter case unless it matters. */
const patternOf = (name: string, exact: boolean) => new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}])`, exact ? "gu" : "giu");

const pauseAfterTyping = 400;

export function BrandPicker() {
  const { tracker = "", brands = "" } = route.value.query;
  const all = useLoad((signal) => call("GET /v1/trackers", { signal }), []).value?.trackers ?? [];
  const [text, setText] = useState(brands);
  useEffect(() => setText(brands), [brands]);
  useEffect(() => {
    if (text === brands) return;
    const timer = setTimeout(() => changeQuery({ brands: text, tracker: text ? undefined : tracker }), pauseAfterTyping);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="row compare-brands">
      {all.length > 0 && (
        <label>Count the brands of
          <select value={brands ? "" : tracker} onChange={(event) => changeQuery({ tracker: event.currentTarget.value, brands: undefined })} data-testid="brands-of">
            <option value="">no tracker</option>
            {all.map(({ name }) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
      )}
      <label>{all.length > 0 ? "or these, with commas" : "Count these brands, with commas"}<input value={text} placeholder="Ollaro, Kestrin" onInput={(event) => setText(event.currentTarget.value)} data-testid="brands" /></label>
    </div>
  );
}

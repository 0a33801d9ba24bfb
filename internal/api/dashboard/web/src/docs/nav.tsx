// The list of operations, with a filter.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Chapter, Group, Operation } from "./model";
import { Method } from "./operation";

const wide = matchMedia("(min-width: 56.01rem)");

export function Nav({ groups, chapters, chosen }: { groups: Group[]; chapters: Chapter[]; chosen: string }) {
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState(wide.matches);
  useEffect(() => {
    const fit = () => setOpen(wide.matches);
    wide.addEventListener("change", fit);
    return () => wide.removeEventListener("change", fit);
  }, []);
  const needles = filter.toLowerCase().split(/\s+/);
  const fits = ({ id, path, method, summary, tag }: Operation) => {
    const text = `${id} ${path} ${method} ${summary} ${tag}`.toLowerCase();
    return needles.every((needle) => text.includes(needle));
  };
  const left = groups
    .map((group) => ({ ...group, operations: group.operations.filter(fits) }))
    .filter(({ operations }) => operations.length > 0);
  // On a phone, the list would hide the chosen operation.
  const close = () => {
    if (!wide.matches) setOpen(false);
  };
  const list = useKeptInSight(chosen);
  return (
    <details ref={list} class="docs-nav card" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Operations</summary>
      <nav aria-label="Operations">
        <input
          type="search"
          data-testid="filter"
          aria-label="Filter operations"
          placeholder="Filter"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {!filter && (
          <Entries title="Start">
            {[chapters[0], { id: "authentication", title: "Authentication" }, ...chapters.slice(1)].map(
              ({ id, title }) => (
                <Entry key={id} id={id} chosen={chosen} onChoose={close}>
                  {title}
                </Entry>
              ),
            )}
            <li>
              <a href="openapi.json">openapi.json</a>
            </li>
          </Entries>
        )}
        {left.map(({ tag, description, operations }) => (
          <Entries key={tag} title={tag} hint={description}>
            {operations.map((operation) => (
              <Entry key={operation.id} id={operation.id} chosen={chosen} onChoose={close}>
                <Method of={operation.isWebhook ? "HOOK" : operation.method} /> <span>{operation.summary}</span>
              </Entry>
            ))}
          </Entries>
        ))}
        {!left.length && <p class="faint">No matches</p>}
      </nav>
    </details>
  );
}

/** Scrolls the list, not the page, to the chosen entry. */
function useKeptInSight(chosen: string) {
  const list = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const entry = list.current?.querySelector("[aria-current]")?.getBoundingClientRect();
    const seen = list.current!.getBoundingClientRect();
    if (entry && (entry.top < seen.top || entry.bottom > seen.bottom))
      list.current!.scrollTop += entry.top - seen.top - seen.height / 2;
  }, [chosen]);
  return list;
}

function Entries({ title, hint, children }: { title: string; hint?: string; children: preact.ComponentChildren }) {
  return (
    <>
      <h2 title={hint}>{title}</h2>
      <ul>{children}</ul>
    </>
  );
}

type EntryProps = { id: string; chosen: string; onChoose: () => void; children: preact.ComponentChildren };

function Entry({ id, chosen, onChoose, children }: EntryProps) {
  return (
    <li>
      <a href={`#${id}`} aria-current={id === chosen ? "page" : undefined} onClick={onChoose}>
        {children}
      </a>
    </li>
  );
}

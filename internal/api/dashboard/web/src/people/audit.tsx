// The audit log. Its filters are in the address, by the names of the API.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { base, call } from "../api";
import type { AuditEntry } from "earshot";
import { ChoiceField, DropFilters, SearchField } from "../query";
import { changeQuery, route } from "../state";
import { calm, useLivePages } from "../tasks/live";
import { CardTable } from "../table";
import { When } from "../time";
import { Button, Empty, Loading } from "../ui";
import { actionText, auditThings, changesOf } from "./words";

const filterNames = ["action", "actor", "subject", "from", "to"] as const;
type Filters = Partial<Record<(typeof filterNames)[number], string>>;

export function Audit() {
  const { query } = route.value;
  const filters: Filters = Object.fromEntries(
    filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  );
  const file = new URL(`v1/audit?${new URLSearchParams({ ...filters, format: "csv" })}`, base);
  return (
    <>
      <div class="history-filters" role="group" aria-label="Filters">
        <ChoiceField
          name="action"
          all="All actions"
          values={() => Object.keys(auditThings)}
          show={(name) => auditThings[name] ?? actionText(name)}
        />
        <SearchField name="actor" label="User or key" maxLength={254} />
        <SearchField name="subject" label="Changed thing" maxLength={254} />
        <Day name="from" label="From" value={filters.from} />
        <Day name="to" label="To" value={filters.to} />
        <a class="button" href={file.pathname + file.search} download="audit.csv" data-testid="audit-csv">
          CSV
        </a>
      </div>
      <Entries key={JSON.stringify(filters)} of={filters} />
      <AsCall path="/v1/audit" query={filters} />
    </>
  );
}

const Day = ({ name, label, value = "" }: { name: string; label: string; value?: string }) => (
  <label class="audit-day" title="In UTC">
    {label}
    <input type="date" value={value} onChange={(event) => changeQuery({ [name]: event.currentTarget.value })} />
  </label>
);

const kinds: Record<AuditEntry["actor"]["kind"], string> = {
  key: "Key",
  user: "",
  operator: "Command line",
  system: "Service",
  guest: "Not signed in",
};

function Entries({ of }: { of: Filters }) {
  const [open, setOpen] = useState<string>();
  const { rows, error, more, again } = useLivePages(async (cursor, signal) => {
    const { entries, nextCursor } = await call("GET /v1/audit", { query: { ...of, cursor }, signal });
    return { rows: entries, nextCursor };
  }, calm);
  const given = Object.keys(of);
  return (
    <>
      <Loading of={{ value: rows, error, again }} lines={6} />
      {rows?.length === 0 && (
        <Empty title={given.length ? "No entries match these filters" : "No entries yet"}>
          {given.length > 0 && <DropFilters names={given} />}
        </Empty>
      )}
      {!!rows?.length && (
        <section class="card" aria-label="Audit log">
          <CardTable
            label="Audit log"
            testid="audit"
            rows={rows}
            rowKey={({ id }) => id}
            detail={(entry) => open === entry.id && <Changes of={entry} />}
            cells={{
              Time: ({ at }) => <When at={at} />,
              Who: ({ actor: { kind, name, id } }) => (
                <>
                  <bdi>{name || id}</bdi> <span class="faint">{kinds[kind]}</span>
                </>
              ),
              Action: ({ action }) => <span title={action}>{actionText(action)}</span>,
              What: ({ subject }) => subject,
              From: ({ address }) => address,
              Details: ({ id, before, after }) =>
                !!(before ?? after) && (
                  <Button
                    text={open === id ? "Hide" : "Show"}
                    class="small"
                    aria-expanded={open === id}
                    onClick={() => setOpen(open === id ? undefined : id)}
                  />
                ),
            }}
          />
        </section>
      )}
      {more && (
        <p>
          <Button text="Show more" onClick={more} />
        </p>
      )}
    </>
  );
}

/** The values before and after a change, side by side. */
function Changes({ of: { before, after, requestId } }: { of: AuditEntry }) {
  return (
    <>
      <CardTable
        plain
        label="Changes"
        testid="changes"
        rows={changesOf(before, after)}
        rowKey={({ field }) => field}
        cells={{
          Field: ({ field }) => field,
          Before: (change) => <span class="audit-value">{change.before}</span>,
          After: (change) => <span class="audit-value">{change.after}</span>,
        }}
      />
      {requestId && (
        <p class="faint">
          Request ID <code>{requestId}</code>
        </p>
      )}
    </>
  );
}

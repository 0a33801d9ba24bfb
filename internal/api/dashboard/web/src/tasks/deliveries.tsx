// The list of webhook deliveries.
import { signal } from "@preact/signals";
import { AsCall } from "../ascall";
import { call } from "../api";
import type { Delivery, DeliveryState, DeliveryTry } from "earshot";
import { choices } from "../openapi";
import { When } from "../time";
import { Table, type Column } from "../table";
import { Button, Empty, Loading } from "../ui";
import { Outcome, Resend, stateOf, useNextTry } from "./delivery";
import { useLivePages } from "./live";
import { Filter, State } from "./pieces";

const state = signal<DeliveryState | undefined>(undefined);

export function Deliveries() {
  return (
    <>
      <div class="row tasks-filters">
        <Filter
          label="Delivery state"
          value={state.value}
          choices={() => choices("DeliveryState")}
          onChange={(value) => (state.value = value)}
        />
      </div>
      <Rows key={state.value} state={state.value} />
      <AsCall path="/v1/webhooks/deliveries" query={{ state: state.value }} />
    </>
  );
}

const columns = (again: () => void): Column<Delivery>[] => [
  { name: "State", value: stateOf, show: (one) => <State of={stateOf(one)} /> },
  {
    name: "URL",
    value: ({ url }) => url,
    show: ({ url }) => (
      <span class="tasks-question" title={url}>
        {url}
      </span>
    ),
    wide: true,
  },
  {
    name: "Task",
    value: ({ taskId }) => taskId,
    show: ({ taskId }) => (
      <a href={`#/history/${taskId}`} title={taskId}>
        …{taskId.slice(-8)}
      </a>
    ),
  },
  { name: "Attempts", value: ({ attempts }) => attempts, numeric: true },
  { name: "Last attempt", value: ({ tries }) => tries.at(-1)?.at, show: ({ tries }) => <LastTry of={tries} /> },
  { name: "Next attempt", value: ({ nextTryAt }) => nextTryAt, show: ({ nextTryAt }) => <When at={nextTryAt} /> },
  { name: "Action", value: () => "", show: ({ id }) => <Resend id={id} onSent={again} /> },
];

function LastTry({ of: tries }: { of: DeliveryTry[] }) {
  const last = tries.at(-1);
  return last ? (
    <>
      <Outcome of={last} />{" "}
      <span class="faint">
        <When at={last.at} />
      </span>
    </>
  ) : (
    <span class="faint">–</span>
  );
}

function Rows({ state }: { state: DeliveryState | undefined }) {
  const { rows, error, more, again } = useLivePages(async (cursor, signal) => {
    const { deliveries, nextCursor } = await call("GET /v1/webhooks/deliveries", { query: { state, cursor }, signal });
    return { rows: deliveries, nextCursor };
  });
  useNextTry(
    rows
      ?.map(({ nextTryAt }) => nextTryAt)
      .filter((at) => at !== null)
      .sort()[0],
    rows,
    again,
  );
  return (
    <>
      <Loading of={{ value: rows, error, again }} />
      {rows?.length === 0 &&
        (state ? (
          <Empty title={`No ${state} deliveries`} />
        ) : (
          <Empty title="No deliveries yet">Submit a task with a webhook to see its deliveries here.</Empty>
        ))}
      {!!rows?.length && (
        <div class="card tasks-table" data-testid="deliveries">
          <Table label="Deliveries" rows={rows} columns={columns(again)} rowKey={({ id }) => id} />
        </div>
      )}
      {more && (
        <p>
          <Button text="Load more" onClick={more} data-testid="more" />
        </p>
      )}
    </>
  );
}

// The history: calls, tasks, batches and sweeps, the queue, and webhook deliveries.
import { may } from "../session";
import { route } from "../state";
import { batch } from "../tasks/batch";
import { BatchForm } from "../tasks/batchform";
import { BatchProgress } from "../tasks/batchprogress";
import { Deliveries } from "../tasks/deliveries";
import { Gauges } from "../tasks/gauges";
import { BatchPage } from "../history/batch";
import { Detail } from "../history/detail";
import { Requests } from "../history/requests";
import { Needs } from "../ui";
import "./history.css";

/** The form of a batch; after submitting, its progress. */
const NewBatch = () => (
  <Needs scope="tasks" what="submit a batch">
    {batch.value ? <BatchProgress of={batch.value} /> : <BatchForm />}
  </Needs>
);

const views = [
  { path: "", also: ["batches", "sweeps"], title: "All requests", show: Requests },
  { path: "batch", title: "Submit a batch", show: NewBatch },
  { path: "queue", title: "Queue", show: Gauges },
  { path: "deliveries", title: "Webhook deliveries", show: Deliveries },
];

export function History() {
  const [path = "", id] = route.value.rest;
  const view = views.find((one) => one.path === path || one.also?.includes(path));
  if (path === "batches" && id) return <BatchPage key={id} id={id} />;
  if (!view) return <Detail key={path} id={path} />;
  return (
    <div class="history">
      <div class="history-head">
        <h1>History</h1>
      </div>
      <nav class="history-views" aria-label="Views of the history">
        {views
          .filter((one) => one.path !== "batch" || may("tasks"))
          .map((one) => (
            <a
              key={one.path}
              href={`#/history${one.path && `/${one.path}`}`}
              aria-current={one === view ? "page" : undefined}>
              {one.title}
            </a>
          ))}
      </nav>
      <view.show />
    </div>
  );
}

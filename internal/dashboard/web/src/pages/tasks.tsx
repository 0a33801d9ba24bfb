// The queue: what is in it, what became of it, and how to fill and clear it.
import { route } from "../state";
import { batch } from "../tasks/batch";
import { BatchForm } from "../tasks/batchform";
import { BatchProgress } from "../tasks/batchprogress";
import { Deliveries } from "../tasks/deliveries";
import { Detail } from "../tasks/detail";
import { Gauges } from "../tasks/gauges";
import { List } from "../tasks/list";
import "./tasks.css";

/** The form of a batch and, once it is sent, how far it is. */
const Batch = () => (batch.value ? <BatchProgress of={batch.value} /> : <BatchForm />);

const views = [
  { path: "", title: "Tasks", show: List },
  { path: "batch", title: "Submit a batch", show: Batch },
  { path: "deliveries", title: "Webhook deliveries", show: Deliveries },
];

export function Tasks() {
  const [path = ""] = route.value.rest;
  const view = views.find((one) => one.path === path);
  if (!view) return <Detail key={path} id={path} />;
  return (
    <div class="tasks">
      <h1>Tasks</h1>
      <Gauges />
      <nav class="tasks-views" aria-label="Views">
        {views.map((one) => (
          <a key={one.path} href={`#/tasks${one.path && `/${one.path}`}`} aria-current={one === view ? "page" : undefined}>{one.title}</a>
        ))}
      </nav>
      <view.show />
    </div>
  );
}

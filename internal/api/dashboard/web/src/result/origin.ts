// Where a result comes from.
import type { TaskRecord, TaskResult } from "../api.gen";

/** The built-in lab invents its answers: nobody shall take them for a provider's. */
export const isMadeUp = ({ surface }: Pick<TaskResult, "surface">) => surface === "lab";

/** A task as it is exported: one that the lab answered says so first. */
export const marked = (record: TaskRecord) =>
  record.result && isMadeUp(record.result) ? { madeUp: true, ...record } : record;

// The origin of a result.
import type { TaskRecord, TaskResult } from "earshot";

/** Reports whether the built-in lab generated a result. */
export const isMadeUp = ({ surface }: Pick<TaskResult, "surface">) => surface === "lab";

/** Returns a task for an export; sample data is marked. */
export const marked = (record: TaskRecord) =>
  record.result && isMadeUp(record.result) ? { madeUp: true, ...record } : record;

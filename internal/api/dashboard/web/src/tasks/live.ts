// Reloads data when the live stream reports changes, at a limited rate.
import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { connected, status, taskChanges } from "../state";
import { useRetry } from "../ui";

/** Runs work whenever tasks change: never twice at once, and with a pause after each run to limit the requests. */
export function onTaskChanges(work: (signal: AbortSignal) => Promise<void>, pause: () => number) {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  let missed = false;
  let ended = 0;
  const run = async () => {
    timer = undefined;
    busy = true;
    missed = false;
    await work(stop.signal).catch(() => {});
    busy = false;
    ended = Date.now();
    if (missed) wake();
  };
  const wake = () => {
    if (stop.signal.aborted || timer) return;
    if (busy) missed = true;
    else timer = setTimeout(run, Math.max(0, ended + pause() - Date.now()));
  };
  const quit = effect(() => {
    // A reconnected stream may have missed changes, and clearing the queue changes only the counts.
    void [taskChanges.value, connected.value, status.value?.queue.queuedTasks];
    wake();
  });
  return {
    wake,
    stop: () => {
      stop.abort();
      clearTimeout(timer);
      quit();
    },
  };
}

/** The pause for data that changes slowly, such as totals by day. */
export const calm = 10_000;

/** Like useLoad, but loads again when tasks change. The old value stays until the new one arrives. */
export function useLive<T>(load: (signal: AbortSignal) => Promise<T>, on: unknown[], pause = 1000) {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<unknown>();
  const [count, setCount] = useState(0);
  useEffect(() => {
    const live = onTaskChanges(
      async (signal) => {
        try {
          const loaded = await load(signal);
          if (signal.aborted) return;
          setValue(() => loaded);
          setError(undefined);
        } catch (problem) {
          if (!signal.aborted) setError(problem);
        }
      },
      () => pause,
    );
    return live.stop;
  }, [...on, count]);
  const again = () => setCount((n) => n + 1);
  useRetry(error, again);
  return { value, error, again };
}

/** Loads a list page by page, and loads the pages again when tasks change. */
export function useLivePages<Row>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<{ rows: Row[]; nextCursor: string | null }>,
  pause = 1000,
) {
  const [pages, setPages] = useState(1);
  const loaded = useLive(
    async (signal) => {
      const rows: Row[] = [];
      let cursor: string | null | undefined;
      for (let page = 0; page < pages && cursor !== null; page++) {
        const next = await read(cursor, signal);
        rows.push(...next.rows);
        cursor = next.nextCursor;
      }
      return { rows, complete: cursor === null };
    },
    [pages],
    pages * pause,
  );
  return {
    rows: loaded.value?.rows,
    error: loaded.error,
    again: loaded.again,
    more: loaded.value && !loaded.value.complete ? () => setPages(pages + 1) : undefined,
  };
}

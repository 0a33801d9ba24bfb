import { useLive } from "../tasks/live";

const pause = 10_000;

/** Something that follows the tasks, but calmly: sums over days and hours change little with each. */
export const useCalm = <T>(load: (signal: AbortSignal) => Promise<T>, on: unknown[]) => useLive(load, on, pause);

// The keys of the page of an answer.
import { useLayoutEffect } from "preact/hooks";
import { Button, Dialog } from "../../ui";

interface Ways {
  older?: string;
  newer?: string;
  left?: string;
  right?: string;
  toggleDiff: () => void;
  help: () => void;
}

/** Whether somebody types, or a dialog is open: then keys are letters. */
const typing = (target: EventTarget | null) =>
  (target instanceof HTMLElement && (target.isContentEditable || !!target.closest("input, textarea, select"))) ||
  !!document.querySelector("dialog[open]");

export function useKeys(ways: Ways) {
  useLayoutEffect(() => {
    const go = (to: string | undefined) => {
      if (to) location.hash = to;
    };
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      const act: Record<string, () => void> = {
        j: () => go(ways.older),
        k: () => go(ways.newer),
        h: () => go(ways.left),
        l: () => go(ways.right),
        d: ways.toggleDiff,
        "?": ways.help,
      };
      const name = event.key.toLowerCase();
      if (!Object.hasOwn(act, name)) return;
      event.preventDefault();
      act[name]();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

const keys = [
  ["J", "the answer of the sweep before"],
  ["K", "the answer of the sweep after"],
  ["H", "the target before"],
  ["L", "the next target"],
  ["D", "shows or hides the difference"],
  ["?", "this list"],
];

export function Keys({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keys of this page" open={open} onClose={onClose}>
      <dl class="answer-facts">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <Button text="Close" class="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}

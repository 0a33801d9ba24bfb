// The keyboard shortcuts of an answer page.
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

/** Reports whether the user types into a field or a dialog is open; shortcuts are off then. */
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
  ["J", "Previous sweep"],
  ["K", "Next sweep"],
  ["H", "Previous target"],
  ["L", "Next target"],
  ["D", "Show or hide the comparison"],
  ["?", "This list"],
];

export function Keys({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" open={open} onClose={onClose}>
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

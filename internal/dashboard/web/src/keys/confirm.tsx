import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog, Problem } from "../ui";

/** Asks before something that cannot be undone, does it, and stays open when it failed. */
export function Confirm({ title, action, open, onClose, run, children }: {
  title: string; action: string; open: boolean; onClose: () => void; run: () => Promise<void>; children: ComponentChildren;
}) {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const close = () => {
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    try {
      await run();
      close();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <Dialog title={title} open={open} onClose={close}>
      {children}
      <Problem error={error} />
      <div class="keys-actions">
        <button type="button" onClick={close}>Cancel</button>
        <button type="button" class="danger" disabled={busy} onClick={confirm} data-testid="confirm">{action}</button>
      </div>
    </Dialog>
  );
}

import type { ComponentChildren } from "preact";
import { Copy, Dialog } from "../ui";

/** A secret that the server tells this once. */
export function Secret({ title, secret, onClose, children }: { title: string; secret?: string; onClose: () => void; children: ComponentChildren }) {
  return (
    <Dialog title={title} open={!!secret} onClose={onClose}>
      <p><strong>This is shown this once.</strong> Store it now; nobody can show it again.</p>
      <pre class="keys-secret" data-testid="secret">{secret}</pre>
      <Copy text={secret ?? ""} />
      {children}
      <div class="keys-actions"><button type="button" class="primary" onClick={onClose} data-testid="secret-done">I have stored it</button></div>
    </Dialog>
  );
}

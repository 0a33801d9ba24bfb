// The share links of a tracker: addresses at which anybody can read its report.
import { useState } from "preact/hooks";
import { call } from "../api";
import type { ShareLink, Tracker } from "earshot";
import { Expiry, expiryOf } from "../expiry";
import { Entry, fieldsOf, Form } from "../people/form";
import { dateText, timeText } from "../time";
import { Button, counted, Dialog, Loading, Problem, Secret, Select, useAction, useLoad } from "../ui";
import { periodOf } from "./address";

/** A button that opens the links of a tracker, and the form of a new one. */
export function Share({ tracker }: { tracker: Tracker }) {
  const [open, setOpen] = useState(false);
  const [url, setUrl] = useState<string>();
  return (
    <>
      <Button text="Share…" onClick={() => setOpen(true)} data-testid="share" />
      <Dialog title={`Share ${tracker.title ?? tracker.name}`} open={open} onClose={() => setOpen(false)}>
        <Shared
          tracker={tracker}
          onMade={(made) => {
            setOpen(false);
            setUrl(made);
          }}
        />
        <div class="actions">
          <Button text="Close" onClick={() => setOpen(false)} />
        </div>
      </Dialog>
      <Secret title="Share link" secret={url} onClose={() => setUrl(undefined)}>
        <p>Anybody with this link can read the report, without signing in.</p>
      </Secret>
    </>
  );
}

function Shared({ tracker, onMade }: { tracker: Tracker; onMade: (url: string) => void }) {
  const shown = periodOf(tracker);
  const [period, setPeriod] = useState(shown.chosen ? "dates" : String(shown.days));
  const create = async (form: FormData) => {
    const body = {
      tracker: tracker.name,
      expiresAt: expiryOf(form)!,
      ...(period === "dates" ? fieldsOf(form, "from", "to") : { days: Number(period) }),
      ...fieldsOf(form, "title", "password"),
    };
    onMade((await call("POST /v1/shares", { body })).url);
  };
  return (
    <>
      <p>A link to a page with the numbers of this tracker. It shows nothing else of your organization.</p>
      <Form text="Create link" class="share-form" run={create}>
        <label>
          Period
          <Select
            value={period}
            options={[
              ...["7", "28", "90"].map((days) => [days, `Last ${days} days`] as const),
              ["dates", "Fixed dates"],
            ]}
            onChoose={setPeriod}
          />
        </label>
        {period === "dates" && (
          <>
            <Entry label="From" name="from" type="date" value={shown.from} />
            <Entry label="To" name="to" type="date" value={shown.to} />
          </>
        )}
        <Expiry days={[7, 30, 90]} />
        <Entry label="Title (optional)" name="title" required={false} maxLength={200} />
        <Entry
          label="Password (optional)"
          name="password"
          type="password"
          autocomplete="new-password"
          required={false}
          minLength={8}
          maxLength={200}
        />
      </Form>
      <Links tracker={tracker.name} />
    </>
  );
}

/** The links of a tracker that still work. */
function Links({ tracker }: { tracker: string }) {
  const loaded = useLoad((signal) => call("GET /v1/shares", { signal }), []);
  const { busy, error, run } = useAction(async (id: string) => {
    await call("DELETE /v1/shares/{id}", { params: { id } });
    loaded.again();
  });
  const links = loaded.value?.shares.filter((link) => link.tracker === tracker && works(link)) ?? [];
  return (
    <>
      <Loading of={loaded} />
      <Problem error={error} />
      {links.length > 0 && <h3>Links</h3>}
      <ul class="share-links" data-testid="shares">
        {links.map((link) => (
          <li key={link.id}>
            <span>
              <strong>{link.title || periodText(link)}</strong>
              <span class="faint block">
                {link.title && `${periodText(link)} · `}
                {counted(link.views, "view")}
                {link.viewedAt && `, last ${timeText(link.viewedAt)}`} · expires {timeText(link.expiresAt)}
                {link.hasPassword && " · password"} · {link.createdBy}
              </span>
            </span>
            <Button text="Revoke" class="small danger" disabled={busy} onClick={() => run(link.id)} />
          </li>
        ))}
      </ul>
    </>
  );
}

const works = ({ revokedAt, expiresAt }: ShareLink) => !revokedAt && Date.parse(expiresAt) > Date.now();

const periodText = ({ days, from, to }: ShareLink) =>
  from && to ? `${dateText(from)} – ${dateText(to)}` : `Last ${days} days`;

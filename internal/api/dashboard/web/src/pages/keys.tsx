import { AsCall } from "../ascall";
import { call } from "../api";
import { Create } from "../keys/create";
import { KeyTable } from "../keys/table";
import { Verify } from "../keys/verify";
import { Rotate, Test } from "../keys/webhooks";
import { may } from "../session";
import { Loading, NeedsAdmin, useLoad } from "../ui";
import "./keys.css";

/** The API keys and the webhook settings. */
export function Keys() {
  const isAdmin = may("admin");
  const loaded = useLoad((signal) => (isAdmin ? call("GET /v1/keys", { signal }) : Promise.resolve({ keys: [] })), []);
  const { value, again } = loaded;
  return (
    <>
      <h1>Keys and webhooks</h1>
      <div class="grid">
        {!isAdmin && <NeedsAdmin what="This page" />}
        {isAdmin && (
          <section class="card" aria-labelledby="keys-head">
            <h2 id="keys-head">Keys</h2>
            <Loading of={loaded} />
            {value && (
              <>
                <Create onMade={again} />
                <KeyTable keys={value.keys} onChange={again} />
              </>
            )}
          </section>
        )}
        <section class="card" aria-labelledby="webhooks-head">
          <h2 id="webhooks-head">Webhooks</h2>
          {isAdmin && (
            <div class="keys-webhooks">
              <div>
                <Rotate />
              </div>
              <Test />
            </div>
          )}
          <Verify />
        </section>
        <AsCall path="/v1/keys" />
      </div>
    </>
  );
}

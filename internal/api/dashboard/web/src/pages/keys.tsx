import { AsCall } from "../ascall";
import { call } from "../api";
import { Create } from "../keys/create";
import { KeyTable } from "../keys/table";
import { Verify } from "../keys/verify";
import { Rotate, Test } from "../keys/webhooks";
import { may } from "../session";
import { NeedsAdmin, Problem, Spinner, useLoad } from "../ui";
import "./keys.css";

/** Who may use the API, and how webhooks prove where they come from. */
export function Keys() {
  const { value, error, again } = useLoad(
    (signal) => (may("admin") ? call("GET /v1/keys", { signal }) : Promise.resolve(undefined)),
    [],
  );
  const forbidden = !may("admin");
  return (
    <>
      <h1>Keys and webhooks</h1>
      <div class="grid">
        {forbidden && <NeedsAdmin what="This page" />}
        {!forbidden && (
          <section class="card" aria-labelledby="keys-head">
            <h2 id="keys-head">Keys</h2>
            <Problem error={error} />
            {!value && !error && <Spinner />}
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
          {!forbidden && (
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

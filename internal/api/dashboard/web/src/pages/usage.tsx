import { AsCall } from "../ascall";
import { Balance, Load } from "../usage/balance";
import { Health } from "../usage/health";
import { Ledger } from "../usage/ledger";
import { Credits, Speed } from "../usage/plots";
import "./usage.css";

/** The credits, and the health of the service. */
export function Usage() {
  return (
    <>
      <h1>Usage</h1>
      <div class="grid">
        <div class="usage-now">
          <Balance />
          <Load />
        </div>
        <Credits />
        <Speed />
        <Health />
        <Ledger />
        <AsCall path="/v1/usage" />
      </div>
    </>
  );
}

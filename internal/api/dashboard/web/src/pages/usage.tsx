import { AsCall } from "../ascall";
import { Balance, Load } from "../usage/balance";
import { Ledger } from "../usage/ledger";
import { Credits, Speed } from "../usage/plots";
import "./usage.css";

/** The credits: balance, use and ledger. */
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
        <Ledger />
        <AsCall path="/v1/usage" />
      </div>
    </>
  );
}

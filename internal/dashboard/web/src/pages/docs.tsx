// The API's reference, made from the server's own description. Nobody needs a key to read it.
import { useEffect, useRef } from "preact/hooks";
import { openAPI, route, type OpenAPI } from "../state";
import { Problem, Spinner, useLoad } from "../ui";
import { groups } from "../docs/model";
import { Nav } from "../docs/nav";
import { OperationView } from "../docs/operation";
import { chapters, Overview } from "../docs/overview";
import "./docs.css";

export function Docs() {
  const { value, error } = useLoad(() => openAPI(), []);
  if (error) return <Problem error={error} />;
  return value ? <Reference api={value} /> : <Spinner />;
}

function Reference({ api }: { api: OpenAPI }) {
  const all = groups(api);
  const chosen = route.value.rest[0] ?? "overview";
  const operation = all.flatMap(({ operations }) => operations).find(({ id }) => id === chosen);
  useArrival(chosen);
  return (
    <div class="docs">
      <Nav groups={all} chapters={chapters(api)} chosen={chosen} />
      {operation ? <OperationView key={operation.id} api={api} operation={operation} /> : <Overview api={api} />}
    </div>
  );
}

/** Goes to what the address names, which was not there when the browser looked for it. */
function useArrival(id: string) {
  const first = useRef(true);
  useEffect(() => {
    const target = document.getElementById(id);
    if (!first.current || id !== "overview") {
      target?.focus({ preventScroll: true });
      target?.scrollIntoView({ block: "start" });
    }
    first.current = false;
  }, [id]);
}

// The form that changes the user's password.
import { useState } from "preact/hooks";
import { AsCall } from "../ascall";
import { call } from "../api";
import { session } from "../session";
import { Entry, fieldsOf, Form, NewPassword } from "./form";

export function Password() {
  const [count, setCount] = useState(0);
  const change = async (form: FormData) => {
    await call("PUT /v1/session/password", { body: fieldsOf(form, "current", "new") });
    setCount(count + 1);
  };
  return (
    <>
      <section class="card narrow" aria-label="Change password">
        <Form key={count} text="Change password" run={change}>
          <Entry label="Email" type="email" autocomplete="username" value={session.value?.user?.email} readOnly />
          <Entry label="Current password" name="current" type="password" autocomplete="current-password" />
          <NewPassword label="New password" name="new" />
        </Form>
        <p role="status">{count > 0 && "Your password was changed. All your other sessions have ended."}</p>
      </section>
      <AsCall method="PUT" path="/v1/session/password" body={{ current: "…", new: "…" }} />
    </>
  );
}

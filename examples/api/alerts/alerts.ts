import { Client } from "earshot";

const client = new Client();
for await (const alert of client.alerts.list("history", { open: true })) console.log(alert.summary);

import { Client } from "earshot";

const client = new Client();
const { result } = await client.ask("chatassistant", { prompt: "best running shoes", country: "US" });
console.log(result.surface);
console.log(result.text);

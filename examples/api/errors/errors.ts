import { Client, EarshotError } from "earshot";

const client = new Client();
const stranger = new Client({ key: "ear_live_wrong" });
const mistakes = [
  () => client.ask("chatassistant", { prompt: "best running shoes", country: "usa" }),
  () => stranger.ask("chatassistant", { prompt: "best running shoes", country: "US" }),
  () => client.trackers.get("nobody"),
];
for (const mistake of mistakes) {
  try {
    await mistake();
  } catch (error) {
    if (error instanceof EarshotError) console.log(error.code);
  }
}

export { type AskOptions, type Asked, type AskUsage, Client, type LiveEvent } from "./client.js";
export { ConnectionFailed, EarshotError, TaskError } from "./errors.js";
export type * from "./methods.gen.js";
export { version } from "./methods.gen.js";
export { ndjson } from "./stream.js";
export type { SubmitOptions, TaskHandle, Tasks } from "./tasks.js";
export type { CallOptions, ClientOptions } from "./transport.js";
export type * from "./types.gen.js";
export { InvalidSignature, verifyWebhook } from "./webhook.js";

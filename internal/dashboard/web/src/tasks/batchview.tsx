// Submitting a batch: the form, and once it is sent, how far it is.
import { batch } from "./batch";
import { BatchForm } from "./batchform";
import { BatchProgress } from "./batchprogress";

export function Batch() {
  return batch.value ? <BatchProgress of={batch.value} /> : <BatchForm />;
}

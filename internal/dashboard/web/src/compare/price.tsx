// What a comparison costs at most, before it is run.
import { post } from "../api";
import { number, Problem, Spinner, useLoad } from "../ui";
import { cellName, type Question } from "./cells";

const pauseAfterTyping = 350;

export function Price({ questions }: { questions: Question[] }) {
  const body = JSON.stringify(questions.map(({ taskType, payload }) => ({ taskType, payload })));
  const { value, error } = useLoad(async (signal) => {
    await new Promise((done) => setTimeout(done, pauseAfterTyping));
    if (signal.aborted || !questions.length) return { body, creditsToCharge: 0, items: [] };
    return { body, ...(await post("v1/quote", JSON.parse(body), { signal })) };
  }, [body]);
  if (error) return <Problem error={error} />;
  if (!questions.length) return <p class="faint" data-testid="price">Choose at least one provider and one country.</p>;
  const fresh = value?.body === body;
  const refused: any[] = fresh ? value.items.filter((item: any) => !item.success) : [];
  return (
    <div data-testid="price" aria-live="polite">
      {questions.length} {questions.length === 1 ? "call" : "calls"}, at most{" "}
      {fresh ? <strong>{number(value.creditsToCharge)} credits</strong> : <Spinner label="Asking for the price" />}
      {refused.length > 0 && (
        <ul class="refused">
          {refused.map(({ index, error: why }) => (
            <li key={index} class="warn">{cellName(questions[index])}, {reason(why)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The server's words about the fields, where it found fault with some. */
function reason(error: any): string {
  if (!Array.isArray(error?.details)) return error?.message;
  return error.details.map(({ field, message }: any) => `${String(field).replace(/^payload\./, "")}: ${message}`).join("; ");
}

// Focus is never lost: where the element that has it is taken off the page, the page's
// content gets it, so that the next Tab goes on from there and not from the very beginning.

/** Watches over an element's content for as long as it is on the page. */
export function keepFocus(content: HTMLElement): () => void {
  let last: EventTarget | null = null;
  const note = ({ target }: FocusEvent) => {
    last = target;
  };
  content.addEventListener("focusin", note);
  const watch = new MutationObserver(() => {
    if (last instanceof Node && !last.isConnected && document.activeElement === document.body)
      content.focus({ preventScroll: true });
    if (last instanceof Node && !last.isConnected) last = null;
  });
  watch.observe(content, { childList: true, subtree: true });
  return () => {
    watch.disconnect();
    content.removeEventListener("focusin", note);
  };
}

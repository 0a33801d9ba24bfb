// Keeps the keyboard focus: when the focused element is removed, the page's content gets the focus, so that the next
// Tab continues there and not at the top of the page.

/** Watches an element until the returned function is called. */
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

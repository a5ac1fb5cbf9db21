// The focus is lost when the element that has it is removed from the page. Keyboard users would
// begin at the top of the page again.

/** Focuses the element if nothing else has the focus. */
export function focusIfLost(element: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) element?.focus();
}

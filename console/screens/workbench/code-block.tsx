// Text to be read or copied, which scrolls where it is long.

interface CodeBlockProps {
  readonly text: string;
  /** Fills the remaining space. */
  readonly fills?: boolean;
}

export function CodeBlock({ fills = false, text }: CodeBlockProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <pre class={fills ? 'code-block code-block-filling' : 'code-block'} tabIndex={0}>
      {text}
    </pre>
  );
}

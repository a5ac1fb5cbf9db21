// Two panes side by side with a bar between them that is dragged, or moved by the
// arrow keys. On a narrow window only one of them is shown.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface SplitPaneProps {
  readonly first: ComponentChildren;
  readonly second: ComponentChildren;
  readonly label: string;
  /** The pane that a narrow window shows. */
  readonly narrow: 'first' | 'second';
  /** Share of the first pane, in percent. */
  readonly start?: number;
}

const LEAST = 20;
const MOST = 80;
const STEP = 2;

export function SplitPane({ first, label, narrow, second, start = 45 }: SplitPaneProps) {
  const frame = useRef<HTMLDivElement>(null);
  const share = useSignal(start);
  const setShare = (percent: number): void => {
    share.value = Math.round(Math.min(MOST, Math.max(LEAST, percent)));
  };
  const drag = (event: PointerEvent): void => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined || event.buttons === 0) return;
    setShare(((event.clientX - box.left) / box.width) * 100);
  };
  return (
    <div
      ref={frame}
      class={`split split-narrow-${narrow}`}
      style={{ '--split': `${share.value}%` }}
    >
      <div class="split-pane split-first">{first}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that is moved has no element of its own */}
      <div
        class="split-bar"
        role="separator"
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={share.value}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') setShare(share.value - STEP);
          if (event.key === 'ArrowRight') setShare(share.value + STEP);
        }}
      />
      <div class="split-pane split-second">{second}</div>
    </div>
  );
}

// A list of any length with only its visible rows in the page. Browsers limit the height of an
// element, so beyond that height the scroll bar maps to shares of the list, not to pixels.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** In pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly selected: number | undefined;
  readonly onSelect: (index: number) => void;
  /** Called with the visible rows. */
  readonly onShow: (first: number, last: number) => void;
}

/** Half of the lowest limit of browsers. */
const MAX_PIXELS = 8_000_000;

export function VirtualList(props: VirtualListProps) {
  const { count, label, onSelect, onShow, row, rowHeight, selected } = props;
  const frame = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const height = useSignal(600);
  const view = placeRows({ count, rowHeight, scrollTop: scrollTop.value, height: height.value });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => onShow(view.first, view.last), [view.first, view.last, count, onShow]);
  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(count - 1, index));
    onSelect(next);
    frame.current?.scrollTo({ top: view.scrollTopFor(next) });
  };
  const rows: ComponentChildren[] = [];
  for (let i = view.first; i <= view.last; i++) {
    rows.push(
      <div
        key={i}
        id={`row-${i}`}
        class="virtual-row"
        role="option"
        tabIndex={-1}
        aria-selected={i === selected}
        aria-setsize={count}
        aria-posinset={i + 1}
        style={{ top: `${view.topOf(i)}px`, height: `${rowHeight}px` }}
        onClick={() => onSelect(i)}
        onKeyDown={() => undefined}
      >
        {row(i)}
      </div>,
    );
  }
  const isSelectedShown = selected !== undefined && selected >= view.first && selected <= view.last;
  return (
    <div
      ref={frame}
      class="virtual-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={isSelectedShown ? `row-${selected}` : undefined}
      tabIndex={0}
      onScroll={(event) => {
        scrollTop.value = event.currentTarget.scrollTop;
      }}
      onKeyDown={(event) => {
        const step = stepOf(event.key, {
          at: selected ?? -1,
          count,
          page: view.last - view.first - 1,
        });
        if (step === undefined) return;
        event.preventDefault();
        moveTo(step);
      }}
    >
      <div class="virtual-runway" role="presentation" style={{ height: `${view.runway}px` }}>
        {rows}
      </div>
    </div>
  );
}

interface Place {
  readonly at: number;
  readonly count: number;
  readonly page: number;
}

function stepOf(key: string, { at, count, page }: Place): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at - 1;
    case 'PageDown':
      return at + page;
    case 'PageUp':
      return at - page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

interface View {
  readonly count: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly height: number;
}

interface Placement {
  /** Height of everything that scrolls. */
  readonly runway: number;
  readonly first: number;
  readonly last: number;
  readonly topOf: (index: number) => number;
  /** The nearest scroll position at which the row is visible. */
  readonly scrollTopFor: (index: number) => number;
}

function placeRows({ count, height, rowHeight, scrollTop }: View): Placement {
  const full = count * rowHeight;
  const runway = Math.min(full, MAX_PIXELS);
  const room = Math.max(1, runway - height);
  // Pixels of the whole list per pixel of the scroll bar.
  const scale = full > runway ? (full - height) / room : 1;
  const top = scrollTop * scale;
  const first = Math.max(0, Math.min(count - 1, Math.floor(top / rowHeight)));
  const last = Math.max(0, Math.min(count - 1, Math.ceil((top + height) / rowHeight)));
  return {
    runway,
    first,
    last,
    topOf: (index) => index * rowHeight - top + scrollTop,
    scrollTopFor: (index) => {
      const start = index * rowHeight;
      if (start < top) return start / scale;
      const end = start + rowHeight - height;
      return end > top ? end / scale : scrollTop;
    },
  };
}

// A small inline line chart.

const WIDTH = 96;
const HEIGHT = 24;

/** Decoration beside a figure; it starts at zero. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(...values, Number.MIN_VALUE);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values
    .map(
      (value, i) =>
        `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`,
    )
    .join(' ');
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
      focusable="false"
    >
      {values.length > 1 && <polyline points={points} />}
    </svg>
  );
}

// A bar that redraws itself in place: `loading the sample ███████░░░ 70 %`.

const WIDTH = 30;

/** Returns the function that reports progress; the bar disappears at the end. */
export function drawProgressBar(
  label: string,
  draw: (text: string) => void,
): (progress: { readonly done: number; readonly total: number }) => void {
  let shown = -1;
  return ({ done, total }) => {
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
    if (percent === shown) return;
    shown = percent;
    const filled = Math.round((percent / 100) * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    // Carriage return, erase the line, draw again.
    draw(`\r\u001b[K${done >= total ? '' : `${label} ${bar} ${percent} %`}`);
  };
}

// Icons: strokes on a grid of 20, in the colour of the text beside them.

const PATHS = {
  overview: 'M3 11.5h4l2-6 3 10 2-6h3',
  table: 'M3.5 4.5h13v11h-13zM3.5 8.5h13M8 8.5v7',
  query: 'M4 6l4 4-4 4M10 14.5h6',
  named: 'M5 3.5h10v13l-5-3.5-5 3.5z',
  live: 'M10 10h.01M6.5 6.5a5 5 0 0 0 0 7M13.5 6.5a5 5 0 0 1 0 7M4 4a8.5 8.5 0 0 0 0 12M16 4a8.5 8.5 0 0 1 0 12',
  transfer: 'M6 4v10m0 0-3-3m3 3 3-3M14 16V6m0 0-3 3m3-3 3 3',
  book: 'M4 4.5h5a2 2 0 0 1 1 .3 2 2 0 0 1 1-.3h5v11h-5a2 2 0 0 0-1 .3 2 2 0 0 0-1-.3H4zM10 4.8v11',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  close: 'M5 5l10 10M15 5L5 15',
  sun: 'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1',
  moon: 'M16 11.5A6.5 6.5 0 1 1 8.5 4a5.2 5.2 0 0 0 7.5 7.5z',
  system: 'M3 4.5h14v9H3zM7.5 16.5h5M10 13.5v3',
  lock: 'M5 9.5h10v7H5zM7 9.5V7a3 3 0 0 1 6 0v2.5',
  user: 'M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5',
  exit: 'M8 4H4v12h4M12.5 6.5 16 10l-3.5 3.5M16 10H8',
  plus: 'M10 4v12M4 10h12',
  trash: 'M4 6h12M8 6V4h4v2M5.5 6l.8 10h7.4l.8-10',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  edit: 'M4 16l.8-3.5L13.5 3.8l2.7 2.7-8.7 8.7z',
  refresh: 'M16 8a6.5 6.5 0 1 0 .2 4M16.5 4v4h-4',
  chevron: 'M7.5 5l5 5-5 5',
  down: 'M5 7.5l5 5 5-5',
  warning: 'M10 3.5 17.5 16.5h-15zM10 8v4M10 14.3v.01',
  tip: 'M7.5 15h5M8 17h4M10 3a5 5 0 0 0-3 9c.5.4.8 1 .8 1.5h4.4c0-.5.3-1.1.8-1.5a5 5 0 0 0-3-9z',
  check: 'M4 10.5l4 4 8-9',
  play: 'M6 4l10 6-10 6z',
  stop: 'M5 5h10v10H5z',
  pause: 'M7 4.5v11M13 4.5v11',
  download: 'M10 3.5v9m0 0-3.5-3.5M10 12.5l3.5-3.5M4 16.5h12',
  upload: 'M10 12.5v-9m0 0L6.5 7M10 3.5 13.5 7M4 16.5h12',
  filter: 'M3.5 5h13l-5 6v5l-3-1.5V11z',
  tree: 'M4 4v10.5h4M4 8h4M10 6h6v4h-6zM10 12.5h6v4h-6z',
  index: 'M4 5h7M4 10h12M4 15h9M14 3.5v4M12 5.5h4',
  schema: 'M4 4h5v4H4zM11 12h5v4h-5zM6.5 8v6h4.5',
  history: 'M4 10a6 6 0 1 0 2-4.5L4 7.5M4 3.5v4h4M10 6.5V10l2.5 2',
} as const satisfies Record<string, string>;

export type IconName = keyof typeof PATHS;

/** Decoration: a control with nothing else in it needs a label. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

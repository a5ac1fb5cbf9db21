// Addresses of screens. They follow the `#`, so the page works under any path
// of a proxy, and nothing in them is sent to a server.
//
//   #/overview                        a screen
//   #/regions/orders/entries?key=7    a screen of a region, with parameters

import { signal } from '@preact/signals';
import { answerQuestion, findEdit, mayDiscardEdit } from './unsaved-edit.ts';

export interface Route {
  /** Id of the screen; empty for the first one. */
  readonly screen: string;
  /** Of screens that show a region. */
  readonly region: string | undefined;
  readonly parameters: URLSearchParams;
}

export interface ScreenProps {
  /** Parameters of the address, such as `?key=7`. */
  readonly parameters: URLSearchParams;
}

export interface RegionScreenProps extends ScreenProps {
  readonly region: string;
}

export const route = signal<Route>(parseRoute(location.hash));

/** The address of `route`; that of the page differs while the user is asked. */
let shownHash = location.hash;

addEventListener('hashchange', () => void followAddress());

/** Shows the screen of the address, unless the user stays with an unsaved edit. */
async function followAddress(): Promise<void> {
  if (showsEdit(parseRoute(location.hash))) answerQuestion(false);
  else if (!(await mayDiscardEdit())) {
    if (location.hash !== shownHash) history.pushState(null, '', shownHash);
    return;
  }
  showAddress();
}

function showAddress(): void {
  shownHash = location.hash;
  route.value = parseRoute(shownHash);
}

/** Whether the unsaved edit, if there is one, is on this screen. */
function showsEdit({ parameters, region, screen }: Route): boolean {
  const key = parameters.get('key');
  if (region === undefined || key === null) return false;
  return (screen === 'entries' || screen === '') && findEdit(region, key) !== undefined;
}

export interface Target {
  readonly screen: string;
  readonly region?: string | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

export function hrefOf({ parameters = {}, region, screen }: Target): string {
  const path =
    region === undefined
      ? encodeURIComponent(screen)
      : `regions/${encodeURIComponent(region)}/${encodeURIComponent(screen)}`;
  const query = String(new URLSearchParams(parameters));
  return `#/${path}${query === '' ? '' : `?${query}`}`;
}

export function navigate(target: Target): void {
  location.hash = hrefOf(target);
}

/** The same without a step in the browser's history, for filters that change while typing. */
export function replaceRoute(target: Target): void {
  history.replaceState(null, '', hrefOf(target));
  showAddress();
}

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = split(hash.replace(/^#\/?/, ''));
  const parameters = new URLSearchParams(query);
  const [first = '', second, third = ''] = path.split('/').map(decode);
  if (first === 'regions' && second !== undefined) {
    return { screen: third, region: second, parameters };
  }
  return { screen: first, region: undefined, parameters };
}

function split(text: string): readonly [string, string] {
  const mark = text.indexOf('?');
  return mark < 0 ? [text, ''] : [text.slice(0, mark), text.slice(mark + 1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// The side bar: screens, regions, and at the bottom the current login and the theme. On a narrow
// window it opens over the page.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { regions } from '../api/regions.ts';
import { logOut, session } from '../api/session.ts';
import { Button } from '../design/button.tsx';
import { Icon, type IconName } from '../design/icon.tsx';
import { MODIFIER_KEY } from '../design/modifier-key.ts';
import { printCompact } from '../design/print-numbers.ts';
import { Skeleton } from '../design/small-parts.tsx';
import { openCommandBar } from './command-bar.tsx';
import { Logo } from './logo.tsx';
import { isReadOnly, type Theme, theme } from './preferences.ts';
import { hrefOf, route } from './router.ts';
import { offeredMainScreens } from './screens.ts';
import { mayDiscardEdit } from './unsaved-edit.ts';

const isOpen = signal(false);

addEventListener('hashchange', () => {
  isOpen.value = false;
});

addEventListener('keydown', (event) => {
  if (event.key === 'Escape') isOpen.value = false;
});

/** Only shown on a narrow window. */
export function TopBar() {
  return (
    <header class="top-bar">
      <Button
        kind="quiet"
        icon="menu"
        label="Menu"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      />
      <Logo />
      <Button kind="quiet" icon="search" label="Commands" onClick={openCommandBar} />
    </header>
  );
}

export function Navigation() {
  return (
    <>
      <aside class={isOpen.value ? 'sidebar sidebar-open' : 'sidebar'}>
        <a class="sidebar-logo" href="#/">
          <Logo />
        </a>
        <button type="button" class="sidebar-search" onClick={openCommandBar}>
          <Icon name="search" />
          <span>Find…</span>
          <kbd>{MODIFIER_KEY} K</kbd>
        </button>
        <nav class="sidebar-lists" aria-label="Console">
          <Screens />
          <Regions />
        </nav>
        <Foot />
      </aside>
      {isOpen.value && (
        <button
          type="button"
          class="sidebar-backdrop"
          aria-label="Close the menu"
          onClick={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
}

function Screens() {
  const current = route.value;
  const screens = offeredMainScreens();
  return (
    <ul>
      {screens.map(({ icon, id, title }, i) => {
        const isShown = current.region === undefined && current.screen === id;
        const isFirst = i === 0 && current.region === undefined && current.screen === '';
        const href = hrefOf({ screen: id });
        return (
          <NavigationLink key={id} icon={icon} href={href} isCurrent={isShown || isFirst}>
            {title}
          </NavigationLink>
        );
      })}
      <NavigationLink icon="book" href="../docs" isCurrent={false}>
        API
      </NavigationLink>
    </ul>
  );
}

function Regions() {
  const list = regions.value;
  return (
    <div>
      <h2 class="sidebar-title">Regions</h2>
      {list === undefined && (
        <div class="sidebar-loading">
          <Skeleton width="70%" />
          <Skeleton width="50%" />
        </div>
      )}
      {list?.length === 0 && <p class="sidebar-empty">None yet</p>}
      <ul>
        {list?.map(({ entryCount, name }) => (
          <NavigationLink
            key={name}
            icon="table"
            href={hrefOf({ screen: '', region: name })}
            isCurrent={route.value.region === name}
            note={entryCount === undefined ? undefined : printCompact(entryCount)}
          >
            {name}
          </NavigationLink>
        ))}
      </ul>
    </div>
  );
}

interface NavigationLinkProps {
  readonly icon: IconName;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly children: string;
  readonly note?: string | undefined;
}

function NavigationLink({ children, href, icon, isCurrent, note }: NavigationLinkProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) showInList(link.current);
  }, [isCurrent]);
  return (
    <li>
      <a ref={link} class="nav-link" href={href} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name={icon} />
        <span class="nav-title">{children}</span>
        {note !== undefined && <span class="nav-note">{note}</span>}
      </a>
    </li>
  );
}

/** Scrolls the list alone; `scrollIntoView` would also move a closed side bar into the window. */
function showInList(link: HTMLElement | null): void {
  const list = link?.closest('.sidebar-lists');
  if (link == null || list == null) return;
  const [inner, outer] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}

const NEXT_THEME: Readonly<Record<Theme, Theme>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};
const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

function Foot() {
  const leave = async (): Promise<void> => {
    if (await mayDiscardEdit()) logOut();
  };
  const current = session.value;
  const name = current.kind === 'open' ? current.login.name : null;
  return (
    <footer class="sidebar-foot">
      {name !== null && (
        <div class="sidebar-login">
          <Icon name="user" />
          <span class="nav-title">{name}</span>
          <Button
            kind="quiet"
            size="small"
            icon="exit"
            label="Log out"
            onClick={() => void leave()}
          />
        </div>
      )}
      <div class="sidebar-switches">
        <label class="check sidebar-read-only">
          <input
            type="checkbox"
            checked={isReadOnly.value}
            onChange={(event) => {
              isReadOnly.value = event.currentTarget.checked;
            }}
          />
          <span>Read-only</span>
        </label>
        <Button
          kind="quiet"
          size="small"
          icon={THEME_ICONS[theme.value]}
          label={`Theme: ${theme.value}`}
          onClick={() => {
            theme.value = NEXT_THEME[theme.value];
          }}
        />
      </div>
    </footer>
  );
}

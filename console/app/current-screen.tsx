// The screen that the address names, loaded when it is first shown.

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { loadRegions, regions } from '../api/regions.ts';
import { call } from '../api/session.ts';
import { Button, LinkButton } from '../design/button.tsx';
import { ErrorNotice } from '../design/notice.tsx';
import { printAmount } from '../design/print-numbers.ts';
import { EmptyState } from '../design/small-parts.tsx';
import { showError } from '../design/toasts.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { RegionActions } from './region-actions.tsx';
import type { RegionScreenProps, ScreenProps } from './router.ts';
import { hrefOf, route } from './router.ts';
import { offeredMainScreens, offeredRegionScreens, type RegionScreen } from './screens.ts';

export function CurrentScreen() {
  const { parameters, region, screen } = route.value;
  if (region !== undefined) return <RegionPage region={region} screen={screen} />;
  const screens = offeredMainScreens();
  const found = screen === '' ? screens[0] : screens.find(({ id }) => id === screen);
  if (found === undefined) return <NoSuchScreen />;
  document.title = `${found.title} · gridkeep`;
  return (
    <ErrorBoundary key={found.id}>
      <Lazy load={found.load} properties={{ parameters }} />
    </ErrorBoundary>
  );
}

/** The tabs of a region, and the screen of one. */
function RegionPage({ region, screen }: { readonly region: string; readonly screen: string }) {
  const { parameters } = route.value;
  const cleared = useSignal(0);
  const known = regions.value;
  const summary = known?.find(({ name }) => name === region);
  const screens = offeredRegionScreens(region);
  const found = screen === '' ? screens[0] : screens.find(({ id }) => id === screen);
  if (known !== undefined && summary === undefined) {
    return <UnlistedRegion key={region} region={region} />;
  }
  if (found === undefined) return <NoSuchScreen />;
  document.title = `${region} › ${found.title} · gridkeep`;
  return (
    <div class="region-page">
      <header class="page-head">
        <h1>{region}</h1>
        {summary?.entryCount !== undefined && (
          <span class="quiet">{printAmount(summary.entryCount, 'entry', 'entries')}</span>
        )}
        <RegionActions
          region={region}
          entryCount={summary?.entryCount}
          onClear={() => {
            cleared.value += 1;
          }}
        />
      </header>
      <RegionTabs region={region} screens={screens} current={found.id} />
      <ErrorBoundary key={`${region}/${found.id}/${cleared.value}`}>
        <Lazy load={found.load} properties={{ parameters, region }} />
      </ErrorBoundary>
    </div>
  );
}

interface RegionTabsProps {
  readonly region: string;
  readonly screens: readonly RegionScreen[];
  readonly current: string;
}

function RegionTabs({ current, region, screens }: RegionTabsProps) {
  return (
    <nav class="tabs region-tabs" aria-label={`Screens of ${region}`}>
      {screens.map(({ id, title }) => (
        <a
          key={id}
          class="tab"
          href={hrefOf({ screen: id, region })}
          aria-current={id === current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

/** The browser does not fetch a module again that it could not fetch once. */
const NOT_LOADED = 'This screen could not be loaded. Reload the page once the service answers.';

interface LazyProps<Properties> {
  readonly load: () => Promise<ComponentType<Properties>>;
  readonly properties: Properties;
}

function Lazy<Properties extends ScreenProps | RegionScreenProps>(props: LazyProps<Properties>) {
  const { load, properties } = props;
  const state = useSignal<{ Screen?: ComponentType<Properties>; error?: unknown }>({});
  useEffect(() => {
    load().then(
      (Screen) => {
        state.value = { Screen };
      },
      (cause: unknown) => {
        state.value = { error: new Error(NOT_LOADED, { cause }) };
        // Detects an outage.
        void call((client) => client.ping()).catch(() => undefined);
      },
    );
  }, [load]);
  const { error, Screen } = state.value;
  if (Screen !== undefined) return <Screen {...properties} />;
  if (error === undefined) return null;
  return (
    <div class="page">
      <ErrorNotice
        error={error}
        action={<Button onClick={() => location.reload()}>Reload the page</Button>}
      />
    </div>
  );
}

function NoSuchScreen() {
  return (
    <EmptyState
      place="page"
      icon="search"
      title="There is no such screen"
      action={<LinkButton href="#/">Go to the first screen</LinkButton>}
    >
      The address is wrong, or your login may not open it.
    </EmptyState>
  );
}

/** Another client may have created it since the regions were loaded. */
function UnlistedRegion({ region }: { readonly region: string }) {
  const isLoaded = useSignal(false);
  useEffect(() => {
    loadRegions()
      .catch(showError)
      .finally(() => {
        isLoaded.value = true;
      });
  }, []);
  return isLoaded.value ? <NoSuchRegion region={region} /> : null;
}

function NoSuchRegion({ region }: { readonly region: string }) {
  return (
    <EmptyState
      place="page"
      icon="table"
      title={`There is no region ${region}`}
      action={<LinkButton href="#/">Go to the first screen</LinkButton>}
    >
      It may have been destroyed, or your login may not see it.
    </EmptyState>
  );
}

// The console as a whole: the login page, or the shell with the screen of the address.

import { useEffect } from 'preact/hooks';
import { connection, reconnections } from '../api/connection.ts';
import { loadRegions, regions } from '../api/regions.ts';
import { session, startSession } from '../api/session.ts';
import { Button } from '../design/button.tsx';
import { ErrorNotice } from '../design/notice.tsx';
import { showError, Toasts } from '../design/toasts.tsx';
import { CommandBar } from './command-bar.tsx';
import { CurrentScreen } from './current-screen.tsx';
import { DiscardDialog } from './discard-dialog.tsx';
import { LoginPage } from './login-page.tsx';
import { Navigation, TopBar } from './navigation.tsx';
import { route } from './router.ts';

export function App() {
  return (
    <>
      <Page />
      <DiscardDialog />
    </>
  );
}

function Page() {
  const current = session.value;
  switch (current.kind) {
    case 'starting':
      return null;
    case 'login-needed':
      return <LoginPage reason={current.reason} />;
    case 'failed':
      return (
        <main class="login">
          <ErrorNotice
            error={current.error}
            action={<Button onClick={() => void startSession()}>Try again</Button>}
          />
        </main>
      );
    case 'open':
      return <Shell />;
  }
}

function Shell() {
  const current = session.value;
  const outages = reconnections.value;
  const { region, screen } = route.value;
  // For every screen, because other clients create and destroy regions. A screen reports its own failures.
  useEffect(() => {
    loadRegions().catch((error: unknown) => {
      if (regions.value === undefined) showError(error);
    });
  }, [current, outages, region, screen]);
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={skipToContent}>
        Skip to the content
      </button>
      <TopBar />
      <Navigation />
      <main id="main" class="content" tabIndex={-1}>
        {connection.value === 'lost' && (
          <div class="banner" role="alert">
            The service does not answer. The console tries again every two seconds.
          </div>
        )}
        <CurrentScreen />
      </main>
      <CommandBar />
      <Toasts />
    </div>
  );
}

/** A link cannot do it: the part after `#` is the address of the screen. */
function skipToContent(): void {
  document.querySelector<HTMLElement>('#main')?.focus();
}

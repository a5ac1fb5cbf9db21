// The login page, shown if the service requires a login.

import { useSignal } from '@preact/signals';
import type { Login } from '../../src/client/index.ts';
import { logIn } from '../api/session.ts';
import { Button } from '../design/button.tsx';
import { Check, Input, Segments } from '../design/field.tsx';
import { ErrorNotice } from '../design/notice.tsx';
import { Logo } from './logo.tsx';

type Kind = Login['kind'];

const KINDS: readonly { readonly value: Kind; readonly title: string }[] = [
  { value: 'password', title: 'Password' },
  { value: 'api-key', title: 'API key' },
  { value: 'token', title: 'Token' },
];

export function LoginPage({ reason }: { readonly reason: unknown }) {
  const kind = useSignal<Kind>('password');
  const user = useSignal('');
  const secret = useSignal('');
  const isKept = useSignal(false);
  const isBusy = useSignal(false);
  const submit = async (): Promise<void> => {
    isBusy.value = true;
    const login = toLogin(kind.value, user.value, secret.value);
    await logIn(login, isKept.value ? 'tab' : 'memory');
    isBusy.value = false;
  };
  return (
    <main class="login">
      <form
        class="card login-card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Logo />
        <h1>Log in</h1>
        <Segments
          label="Kind of login"
          value={kind.value}
          options={KINDS}
          onChange={(value) => {
            kind.value = value;
            secret.value = '';
          }}
        />
        {kind.value === 'password' && (
          <Input
            label="User"
            value={user.value}
            autocomplete="username"
            hasFocus
            onInput={(value) => {
              user.value = value;
            }}
          />
        )}
        <Input
          label={SECRET_NAMES[kind.value]}
          type="password"
          value={secret.value}
          autocomplete={kind.value === 'password' ? 'current-password' : 'off'}
          onInput={(value) => {
            secret.value = value;
          }}
        />
        <Check
          checked={isKept.value}
          onChange={(checked) => {
            isKept.value = checked;
          }}
        >
          Keep it until this tab is closed
        </Check>
        {reason !== undefined && <ErrorNotice error={reason} />}
        <Button type="submit" kind="primary" disabled={isBusy.value || secret.value === ''}>
          {isBusy.value ? 'Logging in…' : 'Log in'}
        </Button>
      </form>
    </main>
  );
}

const SECRET_NAMES: Readonly<Record<Kind, string>> = {
  password: 'Password',
  'api-key': 'API key',
  token: 'Token (JWT)',
};

function toLogin(kind: Kind, user: string, secret: string): Login {
  switch (kind) {
    case 'password':
      return { kind, user, password: secret };
    case 'api-key':
      return { kind, key: secret.trim() };
    case 'token':
      return { kind, token: secret.trim() };
  }
}

// The credentials of the client.

export type Login =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'api-key'; readonly key: string }
  /** A JWT, or a function that is called before every request and may renew it. */
  | { readonly kind: 'token'; readonly token: string | (() => string | Promise<string>) };

/** The value of the `Authorization` header. */
export async function printLogin(login: Login): Promise<string> {
  switch (login.kind) {
    case 'password': {
      const bytes = new TextEncoder().encode(`${login.user}:${login.password}`);
      return `Basic ${btoa(String.fromCharCode(...bytes))}`;
    }
    case 'api-key':
      return `Bearer ${login.key}`;
    case 'token':
      return `Bearer ${typeof login.token === 'string' ? login.token : await login.token()}`;
  }
}

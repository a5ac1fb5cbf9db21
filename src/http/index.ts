// The door of `http`: what the application needs to serve requests, without internals.

export { createApiKey } from './auth/api-key.ts';
export type { Authenticator } from './auth/authenticator.ts';
export { buildAuthenticator } from './auth/build-authenticator.ts';
export { hashPassword, isPassword } from './auth/password-hash.ts';
export type { TlsMaterial } from './connection/node-server.ts';
export type { RequestLimits } from './handlers/handler.ts';
export { refuseProxy, refusePublicUrl } from './request/public-address.ts';
export { SlowBodies } from './request/slow-bodies.ts';
export { refuseHost } from './security/host-check.ts';
export { startServer } from './server.ts';
export type { RunningServer, ServerLimits } from './server-options.ts';

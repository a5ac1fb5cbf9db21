// A route of a dialect: it parses requests into the intents of the service, which pass the same
// permission check, and formats the answers itself.

import type { AnswerIntent } from '../handlers/handler.ts';
import type { GuardedIntent } from '../intent/intent.ts';
import type { Parse } from '../request/routed-request.ts';
import type { Route } from '../router.ts';
import type { Dialect } from './dialect.ts';

export interface DialectRoute extends Route {
  readonly dialect: Dialect;
  readonly access: 'guarded';
  readonly parse: Parse<GuardedIntent>;
  readonly answer: AnswerIntent<GuardedIntent>;
}

// Paths that Geode's firewall refuses, before routing.

import { badEncoding, RequestError } from '../../errors.ts';

const REJECTED = 'org.springframework.security.web.firewall.RequestRejectedException';

/** In any letter case, as the path was sent. */
const FORBIDDEN = ['//', ';', '%3b', '%2f', '\\', '%5c', '%25', '%2e'];

/** Answered in the words of Geode's servlet container. */
export class RejectedPath extends RequestError {
  readonly reason: string;

  constructor(reason: string) {
    super('request/bad-encoding', reason);
    this.name = 'RejectedPath';
    this.reason = `${REJECTED}: ${reason}`;
  }
}

/** Throws for paths that no route is looked up for. */
export function checkPath(path: string): void {
  if (path.includes('%00')) throw badEncoding(path);
  const lower = path.toLowerCase();
  for (const text of FORBIDDEN) {
    const at = lower.indexOf(text);
    if (at < 0) continue;
    const forbidden = path.slice(at, at + text.length);
    throw new RejectedPath(
      `The request was rejected because the URL contained a potentially malicious String &quot;${forbidden}&quot;`,
    );
  }
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw new RejectedPath('The request was rejected because the URL was not normalized.');
  }
}
